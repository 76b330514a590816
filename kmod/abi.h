/* SPDX-License-Identifier: GPL-2.0-only */
/* Structs copied from and to user space, in the size that user space was compiled with. */
#ifndef _TPROF_ABI_H
#define _TPROF_ABI_H

#include <linux/types.h>

/*
 * Copies a struct in. Its first member is its size in the caller's version; @known is the size in this version, @least
 * the size in the first version. Members that the caller does not have are 0. May sleep. Errors: EINVAL, E2BIG, EFAULT.
 */
int tprof_abi_copy_in(void *to, size_t known, size_t least, const void __user *from);

/* Copies such a struct back, limited to the size of the caller's version. May sleep. Errors: EFAULT. */
int tprof_abi_copy_out(void __user *to, const void *from, size_t known);

/* Size of a struct in its first version, of which @last is the last member. */
#define TPROF_ABI_LEAST(type, last)	offsetofend(struct type, last)

#endif
