// SPDX-License-Identifier: GPL-2.0-only
/* Structs copied from and to user space. */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "abi.h"

int tprof_abi_copy_in(void *to, size_t known, size_t least, const void __user *from)
{
	u32 size;
	int err;

	if (get_user(size, (const u32 __user *)from))
		return -EFAULT;
	if (size < least)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(to, known, from, size);
	/* User space may have changed the size between the two reads. */
	if (!err)
		*(u32 *)to = size;
	return err;
}

int tprof_abi_copy_out(void __user *to, const void *from, size_t known)
{
	u32 size = *(const u32 *)from;

	return copy_to_user(to, from, min_t(size_t, size, known)) ? -EFAULT : 0;
}
