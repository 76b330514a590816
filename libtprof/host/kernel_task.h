/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Offsets of kernel structure members that the programs of waits read of any task, from the kernel's BTF. */
#ifndef TPROF_KERNEL_TASK_H
#define TPROF_KERNEL_TASK_H

#include <stddef.h>

#include "tprof/object.h"

/*
 * Sets the offsets, and in @count those that lead from any task to the preempt_count (0 if they do not exist). Errors:
 * those of open(2) (ENOENT: no BTF), EINVAL (malformed BTF, or a member is missing), ENOMEM.
 */
int kernel_task_read(struct tprof_task_layout *layouts, struct tprof_preempt_count *count);

/* The same from BTF in memory; pure. */
int kernel_task_parse(struct tprof_task_layout *layouts, struct tprof_preempt_count *count, const void *btf,
		      size_t size);

#endif
