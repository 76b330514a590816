/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Offsets of kernel structure members that filters of the perf engine read, from the kernel's BTF. */
#ifndef TPROF_KERNEL_TYPES_H
#define TPROF_KERNEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "tprof/object.h"

/* X(member of struct kernel_types, structure, "member"); kernel_types.c lists the structures. */
#define KERNEL_MEMBERS(X)					\
	X(task_mm,		TASK,	"mm")		\
	X(task_tgid,		TASK,	"tgid")		\
	X(task_pid,		TASK,	"pid")		\
	X(task_comm,		TASK,	"comm")		\
	X(task_real_parent,	TASK,	"real_parent")	\
	X(mm_start_code,	MM,	"start_code")

/* Offsets in bytes, and ids of types. */
struct kernel_types {
#define X(name, structure, member) uint32_t name;
	KERNEL_MEMBERS(X)
#undef X
	struct tprof_preempt_count preempt_count;	/* zeroed if not found */
	uint32_t cast_function;		/* type id of bpf_rdonly_cast(), from Linux 6.2 on; 0: not found */
	uint32_t task_type;		/* type id of struct task_struct */
};

/* Errors: those of open(2) (ENOENT: no BTF), EINVAL (malformed BTF, or a member is missing), ENOMEM. */
int kernel_types_read(struct kernel_types *types);

/* The same from BTF in memory; pure. */
int kernel_types_parse(struct kernel_types *types, const void *btf, size_t size);

#endif
