/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Captures waits, wake-ups and runs. The kernel call stack of a thread that does not run is where it has left its CPU,
 * so it is walked when the wait is over: waits that no session wants cost no walk. The user call stack is
 * that of the thread when it runs again, in the interrupt that delivers the wait, before the thread leaves the kernel.
 */
#ifndef _TPROF_WAIT_SAMPLE_H
#define _TPROF_WAIT_SAMPLE_H

#include "sample.h"
#include "unwind.h"
#include "wait_table.h"

/* An event of a source of waits. */
struct tprof_wait_event {
	u64 min_ns;				/* shorter ones are only counted */
	u64 sched_start, sched_end;		/* the scheduler in the text of the kernel; 0: not known */
	u64 wake_start;				/* wakeup: the function that wakes threads; 0: not known */
	u64 unique;				/* wakeup */
};

/* A wait, or a part of it, that ends now. */
struct tprof_waited {
	struct task_struct *task;
	const struct tprof_waiting *waiting;
	u64 now;				/* CLOCK_MONOTONIC; later than waiting->from_ns */
	u64 weight;				/* of the sample */
};

/* A run of the current thread, or a part of it, that ends now. */
struct tprof_ran {
	u64 now;				/* CLOCK_MONOTONIC */
	u64 weight;				/* of the sample */
	bool has_mm;				/* as the run began, also @exec_id */
	u32 exec_id;
};

/* A thread that waits, and may run again at any time. */
struct tprof_waiter {
	u64 frames[TPROF_UNWIND_MAX];		/* kernel call stack */
	u64 user_frames[TPROF_UNWIND_MAX];
	unsigned int nr_frames, nr_user_frames;
	u64 place;				/* the call of the scheduler; 0: not known */
	s32 syscall;
	bool has_mm;
	u32 exec_id;
	struct pt_regs regs;			/* of user mode */
};

/* Probe of sched_switch, before the task runs: the run queue is locked. */
void tprof_wait_fire(struct tprof_source *source, const struct tprof_waited *waited);
/*
 * Fires for a wake-up: the current thread, or an interrupt, wakes the task, and @waited is the time in which that was
 * blocked. Probe of sched_waking, interrupts disabled, in the function that the probe calls: call stacks begin there.
 */
void tprof_wake_fire(struct tprof_source *source, const struct tprof_waited *waited);
/*
 * Fires for a run of the current thread, which leaves the CPU. Probe of sched_switch, in a function that it calls: call
 * stacks begin there, and are walked up to the scheduler.
 */
void tprof_run_fire(struct tprof_source *source, const struct tprof_ran *ran);
/* Fires for a part of a run, and delivers it, without a kernel call stack. Interrupts disabled. */
void tprof_run_fire_part(struct tprof_source *source, const struct tprof_ran *ran);
/* Fires for a part of a wait, and delivers it. Hard interrupt context. */
void tprof_wait_fire_part(struct tprof_source *source, const struct tprof_waited *waited,
			  const struct tprof_waiter *waiter);
/* Reads all of it: true if the thread has not run when this returns. Process context, with a reference on the task. */
void tprof_wait_read(const struct tprof_source *source, struct task_struct *task, struct tprof_waiter *waiter);
/* Likewise all but the user stack. Any context but NMI. */
void tprof_wait_glance(const struct tprof_source *source, struct task_struct *task, struct tprof_waiter *waiter);

/* Describes the current thread, or the interrupt that this CPU handles, as a waker. Preemption disabled. */
void tprof_wait_describe_waker(struct tprof_waker *waker);
/* Tests whether a session samples the task. Interrupts disabled. */
bool tprof_wait_in_scope(const struct tprof_source *source, struct task_struct *task);

#endif
