/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event wakeup on the perf engine: who ends the waits of threads, by a program at sched_waking. The programs of
 * waits (wait_perf.bpf.h) follow the threads. Not for filter authors.
 *
 * The kernel holds a lock of the woken thread there, so wake-ups of a thread come one after the other. Interrupts are
 * disabled, except if a thread that is about to sleep wakes itself, which ends no wait.
 */
#ifndef __TPROF_WAKE_PERF_BPF_H
#define __TPROF_WAKE_PERF_BPF_H

#include <tprof/engine_perf.bpf.h>
#include <tprof/wait_waker_perf.bpf.h>

/* Where the current thread, or an interrupt, wakes another thread. Sets how many frames are before that. */
static __always_inline __u64 tprof_wake_place(struct tprof_run *run)
{
	__u64 ip[TPROF_WAKE_FRAMES] = {};

	run->skip = tprof_wake_find(run->ctx, ip) & (TPROF_WAKE_FRAMES - 1);
	return tprof_call_place(run->skip ? ip[run->skip] : 0);
}

/* Copies what is known of the woken thread: it is described as it left the CPU. */
static __always_inline void tprof_wake_describe(struct tprof_wakeup *w, const struct tprof_wait *wait)
{
	w->woken_cgroup_id = wait->sample.cgroup_id;
	w->woken_tgid = wait->sample.tgid;
	w->woken_tid = wait->sample.tid;
	w->woken_exec_id = wait->sample.exec_id;
	w->state = wait->state;
	w->syscall = wait->syscall;
	w->waker_flags = wait->waker_flags;
	__builtin_memcpy(w->woken_comm, wait->sample.comm, sizeof(w->woken_comm));
}

/* Sets what the description of the waker lacks, which is empty but for its name if it is an interrupt. */
static __always_inline void tprof_wake_set_kind(struct tprof_sample *s, __u32 waker_flags)
{
	s->flags |= TPROF_SAMPLE_WAKEUP | TPROF_SAMPLE_KERNEL;
	if (waker_flags == TPROF_WAKER_IRQ) {
		s->flags |= TPROF_SAMPLE_IRQ;
		s->exec_id = TPROF_EXEC_IRQ;
	} else if (waker_flags == TPROF_WAKER_SOFTIRQ) {
		s->flags |= TPROF_SAMPLE_SOFTIRQ;
		s->exec_id = TPROF_EXEC_SOFTIRQ;
	}
}

/* Completes the sample and counts it as fired. Returns 0 if it is not for the filter. */
static __always_inline int tprof_wake_measure(struct tprof_wakeup *w, const struct tprof_wait_state *state, __u64 now,
					      struct tprof_cpu_ledger *ledger, struct tprof_run *run)
{
	__u64 from = state->blocked_ns, blocked = from && now > from ? now - from : 1;
	struct tprof_sample *s = &w->sample;

	tprof_wake_count(ledger, run);
	tprof_tally_add(&run->ledger->fired, blocked);
	if (blocked < tprof_object.wait_min_ns) {
		tprof_tally_add(&run->ledger->outcomes.below_min, blocked);
		return 0;
	}
	tprof_wake_describe(w, &state->wait);
	s->ip = tprof_wake_place(run);
	s->time_ns = now;
	s->weight = blocked;
	s->addr = w->state;
	s->data = w->woken_tid;
	s->cpu = tprof_perf_cpu(ledger);
	s->event = run->event;
	tprof_wake_set_kind(s, w->waker_flags);
	return 1;
}

/*
 * As tprof_waking(), for the event wakeup. A thread that does not wait yet, or was ready to run, is not woken from a
 * wait. Returns 0 if there is nothing for the filter.
 */
static __always_inline int tprof_wake_enter(struct tprof_wakeup *w, struct tprof_run *run)
{
	__u32 tid = tprof_wait_task_pid(*(const __u64 *)run->ctx);
	struct tprof_wait_state *state = tprof_wait_lookup(tid);
	struct tprof_cpu_ledger *ledger;
	__u64 now;

	if (!state || !tprof_wait_is_woken(state))
		return 0;
	/* An address of the kernel, for the flags. */
	w->sample.ip = ~0ULL;
	tprof_wait_set_waker(&state->wait, &w->sample);
	now = bpf_ktime_get_ns();
	state->woken_ns = now;
	ledger = tprof_wait_enter(bpf_get_smp_processor_id(), run);
	/* With a barrier: what else is known of the wait was written before. */
	if (!ledger || tprof_wait_mode(ledger) != TPROF_WAIT_COUNT || !tprof_compare_exchange(&state->from_ns, 0, 0))
		return 0;
	return tprof_wake_measure(w, state, now, ledger, run);
}

/* Calls the body of TPROF_FILTER() or of TPROF_WAKEUP(). */
#define tprof_wake_call_filter(name, w, run) name##_body(&(w)->sample, run)
#define tprof_wake_call_wakeup(name, w, run) name##_wakeup(w, run)

/* The program nameWAKE, which calls the body by tprof_wake_call_KIND(). */
#define TPROF_WAKE_PROGRAM(name, KIND, WAKE)						\
	SEC("?raw_tp/sched_waking")							\
	int name##WAKE(void *ctx)							\
	{										\
		struct tprof_run run = { .engine = TPROF_OBJECT_WAKE, .ctx = ctx };	\
		struct tprof_wakeup w = {};						\
											\
		if (tprof_wake_enter(&w, &run))						\
			tprof_perf_leave(&w.sample, run.ledger, tprof_wake_call_##KIND(name, &w, &run)); \
		return 0;								\
	}

#endif
