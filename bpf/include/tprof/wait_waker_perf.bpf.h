/* SPDX-License-Identifier: GPL-2.0-only */
/* The wakers of waiting threads, on the perf engine: the program at sched_waking. Not for filter authors. */
#ifndef __TPROF_WAIT_WAKER_PERF_BPF_H
#define __TPROF_WAIT_WAKER_PERF_BPF_H

#include <tprof/wait_state_perf.bpf.h>

/* The preempt_count while any task is current: tprof_idle_preempt_count() knows only the idle task. -1: unknown. */
static __always_inline __s64 tprof_wait_preempt_count(void)
{
	__u64 task = bpf_get_current_task(), rq, cfs;

	if (tprof_object.preempt_count.where == TPROF_PREEMPT_COUNT_IN_TASK)
		return tprof_kernel_u32(task, tprof_object.preempt_count.task_count);
	if (tprof_object.preempt_count.where != TPROF_PREEMPT_COUNT_OF_CPU || !tprof_object.preempt_count.rq_cfs)
		return -1;
	rq = tprof_kernel_u64(tprof_kernel_u64(task, tprof_object.preempt_count.task_queue),
			      tprof_object.preempt_count.queue_rq);
	cfs = rq + tprof_object.preempt_count.rq_cfs;
	if (tprof_kernel_u32(cfs + (__s64)tprof_object.preempt_count.queue_to_cpu, 0) != bpf_get_smp_processor_id())
		return -1;
	return tprof_kernel_u32(cfs + (__s64)tprof_object.preempt_count.queue_to_count, 0);
}

/* A TPROF_WAKER_* flag; 0: not known. */
static __always_inline __u32 tprof_wait_context(void)
{
	__s64 count = tprof_wait_preempt_count();

	if (count < 0)
		return 0;
	if (TPROF_PREEMPT_HARDIRQ(count))
		return TPROF_WAKER_IRQ;
	return count & TPROF_PREEMPT_SOFTIRQ ? TPROF_WAKER_SOFTIRQ : TPROF_WAKER_THREAD;
}

/* Describes the waker in @s, which is zeroed. A thread that an interrupt has interrupted is not the waker. */
static __always_inline void tprof_wait_set_waker(struct tprof_wait *wait, struct tprof_sample *s)
{
	wait->waker_flags = tprof_wait_context();
	if (wait->waker_flags == TPROF_WAKER_THREAD)
		tprof_perf_task(s);
	else if (wait->waker_flags == TPROF_WAKER_IRQ)
		__builtin_memcpy(s->comm, "[irq]", sizeof("[irq]"));
	else if (wait->waker_flags == TPROF_WAKER_SOFTIRQ)
		__builtin_memcpy(s->comm, "[softirq]", sizeof("[softirq]"));
	wait->waker_tgid = s->tgid;
	wait->waker_tid = s->tid;
	wait->waker_exec_id = s->exec_id;
	wait->waker_cgroup_id = s->cgroup_id;
	__builtin_memcpy(wait->waker_comm, s->comm, sizeof(wait->waker_comm));
}

/*
 * Tests whether the waker is the first one of a wait, and is to be described. A thread that was ready to run when it
 * left may have been about to sleep: that is no waker. One that still runs may be about to leave the CPU: then the
 * program at sched_switch looks for who came early.
 */
static __always_inline int tprof_wait_is_woken(struct tprof_wait_state *state)
{
	if (!*(volatile __u64 *)&state->woken_ns && !state->runnable)
		return 1;
	if (*(volatile __u64 *)&state->from_ns)
		return 0;
	*(volatile __u64 *)&state->early_ns = bpf_ktime_get_ns();
	/* Its wait may have begun meanwhile. */
	return !*(volatile __u64 *)&state->woken_ns && !*(volatile __u64 *)&state->runnable;
}

/* The first one ends the time in which the thread is blocked. */
SEC("?raw_tp/sched_waking")
int tprof_waking(void *ctx)
{
	__u32 tid = tprof_wait_task_pid(*(const __u64 *)ctx);
	struct tprof_wait_state *state = tprof_wait_lookup(tid);

	if (!state || !tprof_wait_is_woken(state))
		return 0;
	if (tprof_object.wait_details) {
		struct tprof_sample s = {};

		tprof_wait_set_waker(&state->wait, &s);
	}
	state->woken_ns = bpf_ktime_get_ns();
	return 0;
}

#endif
