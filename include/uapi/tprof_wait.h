/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The tprof ABI: the wait that a filter receives in TPROF_OFFCPU(), and the wake-up in TPROF_WAKEUP(). Append-only, as
 * struct tprof_sample.
 */
#ifndef _UAPI_TPROF_WAIT_H
#define _UAPI_TPROF_WAIT_H

#include "tprof.h"

/*
 * The states of threads. That of a wait is the state in which the kernel's scheduler found the thread when it left the
 * CPU.
 *
 * X(NAME, name, description)
 */
#define TPROF_STATES(X)									\
	X(UNKNOWN,	unknown,	"the engine does not know it")			\
	X(PREEMPTED,	preempted,	"ready to run: another thread has its CPU")	\
	X(SLEEPING,	sleeping,	"blocked until an event or a signal: a timer, a futex, a pipe, a socket, ...") \
	X(IOWAIT,	iowait,		"blocked until I/O is complete, mostly of a disk") \
	X(BLOCKED,	blocked,	"blocked in the kernel, not to be interrupted: a lock, a child, memory, ...") \
	X(STOPPED,	stopped,	"stopped by a signal: SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU") \
	X(TRACED,	traced,		"stopped for its tracer: a debugger")		\
	X(IDLE,		idle,		"a thread of the kernel that has no work, or is parked") \
	X(NEW,		new,		"ready to run for the first time")		\
	X(RUNNING,	running,	"on a CPU: of no wait; for the keys of samples") \
	X(RUNNABLE,	runnable,	"ready to run after it was blocked: for the keys of that part of waits") \
	X(WAKEUP,	wakeup,		"of no thread: one wakes another; for the keys of wake-ups")

enum tprof_state {
#define X(NAME, name, text) TPROF_STATE_##NAME,
	TPROF_STATES(X)
#undef X
	TPROF_NR_STATES
};

/*
 * A wait: a thread was off the CPU, from when it left until it runs again. Read-only for filters, with fixed offsets.
 *
 * @sample:          the thread and the wait as in TPROF_FILTER(): see TPROF_SAMPLE_WAIT
 * @blocked_ns:      the part of the wait in which it was not ready to run; nanoseconds
 * @runnable_ns:     the part in which it was ready to run, but had no CPU; nanoseconds. With a period above 1, the sum
 *                   of both is the length of this wait, and @sample.weight is that of the period
 * @waker_cgroup_id: cgroup of the waker, as in struct tprof_sample
 * @state:           enum tprof_state
 * @syscall:         number of the system call in which it waits, of its architecture; -1: in none, or not known, as for
 *                   a 32-bit one on a 64-bit kernel
 * @from_cpu:        CPU that it left; @sample.cpu is the one on which it runs again
 * @waker_flags:     TPROF_WAKER_*; 0: it was not woken (it was ready to run), or the engine does not know by whom
 * @waker_tgid:      process of the waker in the initial pid namespace; 0 for an interrupt
 * @waker_tid:       its thread; 0 for an interrupt
 * @waker_exec_id:   its program image, as in struct tprof_sample
 * @waker_comm:      name of that thread, or "[irq]" or "[softirq]"; empty if @waker_flags is 0
 */
struct tprof_wait {
	struct tprof_sample sample;
	TPROF_READABLE(9)
	__u64 blocked_ns;
	__u64 runnable_ns;
	__u64 waker_cgroup_id;
	__u32 state;
	__s32 syscall;
	__u32 from_cpu;
	__u32 waker_flags;
	__u32 waker_tgid;
	__u32 waker_tid;
	__u32 waker_exec_id;
	__u32 pad;
	char  waker_comm[TPROF_COMM_LEN];
	TPROF_READABLE_END
};

/* The kinds of wakers, which end the time in which a thread is blocked. Exactly one is set if the waker is known. */
#define TPROF_WAKER_THREAD	(1U << 0)	/* the thread @waker_tid */
#define TPROF_WAKER_IRQ		(1U << 1)	/* a hard interrupt, such as a timer */
#define TPROF_WAKER_SOFTIRQ	(1U << 2)	/* a soft interrupt, such as one for received packets */

TPROF_ASSERT_AT(tprof_wait, sample, 0);
TPROF_ASSERT_AT(tprof_wait, blocked_ns, 96);
TPROF_ASSERT_AT(tprof_wait, runnable_ns, 104);
TPROF_ASSERT_AT(tprof_wait, waker_cgroup_id, 112);
TPROF_ASSERT_AT(tprof_wait, state, 120);
TPROF_ASSERT_AT(tprof_wait, syscall, 124);
TPROF_ASSERT_AT(tprof_wait, from_cpu, 128);
TPROF_ASSERT_AT(tprof_wait, waker_flags, 132);
TPROF_ASSERT_AT(tprof_wait, waker_tgid, 136);
TPROF_ASSERT_AT(tprof_wait, waker_tid, 140);
TPROF_ASSERT_AT(tprof_wait, waker_exec_id, 144);
TPROF_ASSERT_AT(tprof_wait, waker_comm, 152);
TPROF_ASSERT(sizeof(struct tprof_wait) == 168);

/*
 * A wake-up: a thread, or an interrupt, ends the time in which another thread is blocked. Read-only for filters, with
 * fixed offsets. Only the first one of a wait is given: a thread that is ready to run cannot be woken again.
 *
 * @sample:          the waker, and the wake-up as in TPROF_FILTER(): see TPROF_SAMPLE_WAKEUP
 * @woken_cgroup_id: cgroup of the woken thread, as in struct tprof_sample
 * @woken_tgid:      its process in the initial pid namespace
 * @woken_tid:       the woken thread
 * @woken_exec_id:   its program image, as in struct tprof_sample
 * @state:           enum tprof_state in which it left the CPU
 * @syscall:         the system call in which it waits, as in struct tprof_wait
 * @waker_flags:     TPROF_WAKER_*; 0: the engine does not know what wakes it
 * @woken_comm:      its name
 */
struct tprof_wakeup {
	struct tprof_sample sample;
	TPROF_READABLE(6)
	__u64 woken_cgroup_id;
	__u32 woken_tgid;
	__u32 woken_tid;
	__u32 woken_exec_id;
	__u32 state;
	__s32 syscall;
	__u32 waker_flags;
	char  woken_comm[TPROF_COMM_LEN];
	TPROF_READABLE_END
};

TPROF_ASSERT_AT(tprof_wakeup, sample, 0);
TPROF_ASSERT_AT(tprof_wakeup, woken_cgroup_id, 96);
TPROF_ASSERT_AT(tprof_wakeup, woken_tgid, 104);
TPROF_ASSERT_AT(tprof_wakeup, woken_tid, 108);
TPROF_ASSERT_AT(tprof_wakeup, woken_exec_id, 112);
TPROF_ASSERT_AT(tprof_wakeup, state, 116);
TPROF_ASSERT_AT(tprof_wakeup, syscall, 120);
TPROF_ASSERT_AT(tprof_wakeup, waker_flags, 124);
TPROF_ASSERT_AT(tprof_wakeup, woken_comm, 128);
TPROF_ASSERT(sizeof(struct tprof_wakeup) == 144);

#endif /* _UAPI_TPROF_WAIT_H */
