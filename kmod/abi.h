/* SPDX-License-Identifier: GPL-2.0-only */
/* Structs that cross the boundary to user space, in the size that the other side was compiled with. */
#ifndef _TPROF_ABI_H
#define _TPROF_ABI_H

#include <linux/types.h>

/*
 * Copies a struct in. It starts with its size in the caller's version; @known is ours, @least that of the first
 * version. What the caller does not have is zero here. Errors: EINVAL, E2BIG, EFAULT.
 */
int tprof_abi_copy_in(void *to, size_t known, size_t least, const void __user *from);

/* Copies a struct that came in that way back, as much of it as the caller knows; its size stays the caller's. */
int tprof_abi_copy_out(void __user *to, const void *from, size_t known);

/* The size of a struct at the time of the first version, which ends with that member. */
#define TPROF_ABI_LEAST(type, last)	offsetofend(struct type, last)

#endif
