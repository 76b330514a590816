/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types that tell readers of a table what a number in a key is. They are plain integers to the compiler;
 * tprof finds their names in the object's BTF and prints a symbol, a process name or a path instead of digits.
 *
 * A struct used as a key must have no holes: the kernel compares all its bytes. Order the members by size,
 * largest first, pad by hand at the end, and start from `struct key key = {}`.
 */
#ifndef __TPROF_KEY_BPF_H
#define __TPROF_KEY_BPF_H

#include "uapi/tprof.h"

typedef __u64 tprof_ip_t;	/* code address: printed as symbol. A user address needs a tprof_tgid_t beside it */
typedef __u64 tprof_stack_t;	/* id from tprof_user_stack() or tprof_kernel_stack(); printed as a call stack */
typedef __u64 tprof_cgroup_t;	/* cgroup id: printed as path below the cgroup root */
typedef __u64 tprof_ns_t;	/* nanoseconds */
typedef __u32 tprof_tgid_t;	/* process id in the initial namespace: printed with the process's name */
typedef __u32 tprof_tid_t;	/* thread id in the initial namespace: printed with the thread's name */
typedef __u32 tprof_exec_t;	/* tprof_sample.exec_id: makes user addresses exact across exec; not printed */
typedef __u32 tprof_cpu_t;	/* CPU number */
typedef __u32 tprof_flags_t;	/* TPROF_SAMPLE_* flags: printed as names */

/* A thread name, as in tprof_sample.comm. */
struct tprof_comm {
	char name[TPROF_COMM_LEN];
};

/* Which of the TPROF_SAMPLE_* flags say what the CPU was doing; a filter may use it to build a key. */
#define TPROF_SAMPLE_MODE (TPROF_SAMPLE_USER | TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_GUEST | TPROF_SAMPLE_IDLE)

#endif
