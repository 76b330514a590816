/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types for the members of a key, which say what a number means. They are plain integers to the compiler; tprof finds
 * their names in the object's BTF and prints a symbol, a process name or a path instead of the number.
 *
 * A struct used as a key must have no padding holes, because the kernel compares all of its bytes. Order the members by
 * size, largest first, add explicit padding at the end, and initialize the key with `struct key key = {}`.
 */
#ifndef __TPROF_KEY_BPF_H
#define __TPROF_KEY_BPF_H

#include "uapi/tprof.h"

typedef __u64 tprof_ip_t;	/* code address: printed as a symbol; a user address needs a tprof_tgid_t in the key */
typedef __u64 tprof_stack_t;	/* id from tprof_{user,kernel}_stack() or tprof_user_copy(): printed as a call stack */
typedef __u64 tprof_waker_t;	/* id from tprof_wakers(): printed as the name and the call stack of a waker; 0: none */
typedef __u64 tprof_cgroup_t;	/* cgroup id: printed as a path below the cgroup root */
typedef __u64 tprof_ns_t;	/* nanoseconds */
typedef __u32 tprof_tgid_t;	/* process id in the initial namespace: printed with the process's name */
typedef __u32 tprof_tid_t;	/* thread id in the initial namespace: printed with the thread's name */
typedef __u32 tprof_exec_t;	/* tprof_sample.exec_id: keeps user addresses apart across execve(2); not printed */
typedef __u32 tprof_owner_t;	/* process id of an owner, or of the sample: printed with the process's name */
typedef __u32 tprof_owner_exec_t; /* its program image: tells which name the process had; not printed */
typedef __u32 tprof_cpu_t;	/* CPU number */
typedef __u32 tprof_flags_t;	/* TPROF_SAMPLE_* flags: printed as names */
typedef __u32 tprof_event_t;	/* tprof_sample.event: printed as the name of the event, if the session has several */
typedef __u32 tprof_state_t;	/* of tprof_state(), or tprof_wait.state: printed as sleeping, preempted, iowait, ... */
typedef __s32 tprof_syscall_t;	/* tprof_wait.syscall: printed as the name of the system call; -1: none */

/* Buckets of a histogram, from the functions of bucket.bpf.h. `tprof run` draws a table that has one in its key. */
typedef __u32 tprof_log2_t;	/* of tprof_log2(): printed as "[2, 4)" */
typedef __u32 tprof_log2_ns_t;	/* of tprof_log2() of nanoseconds: printed with units, as "[1.05ms, 2.1ms)" */
typedef __u64 tprof_linear_t;	/* of tprof_linear(): printed as "[10, 20)" */

/*
 * Process and event in one number, so that keys need no more space for several events: the process id in the low 24
 * bits, of which the kernel uses 22, and above them the event. With one event, this is the process id.
 */
typedef __u32 tprof_tgid_event_t;
#define tprof_tgid_event(s) ((s)->tgid | (s)->event << 24)

/*
 * The state of a wait that a TPROF_FILTER() gets; TPROF_STATE_WAKEUP for a wake-up, and TPROF_STATE_RUNNING for other
 * samples. A filter with TPROF_OFFCPU() gets no waits there: for it, the second one is enough, and reads only flags.
 */
#define tprof_state(s) ((s)->flags & TPROF_SAMPLE_WAIT ? (__u32)(s)->addr : tprof_sample_state(s))
#define tprof_sample_state(s) ((s)->flags & TPROF_SAMPLE_WAKEUP ? TPROF_STATE_WAKEUP : TPROF_STATE_RUNNING)

/* A thread name, as in tprof_sample.comm. */
struct tprof_comm {
	char name[TPROF_COMM_LEN];
};

/* The TPROF_SAMPLE_* flags that say in which mode the CPU was, for use in a key. */
#define TPROF_SAMPLE_MODE (TPROF_SAMPLE_USER | TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_GUEST | TPROF_SAMPLE_IDLE)

#endif
