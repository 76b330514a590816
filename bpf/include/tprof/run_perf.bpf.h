/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event on-cpu on the perf engine: runs of threads, by the programs of waits (wait_perf.bpf.h). Not for filter
 * authors.
 *
 * A run begins and a wait ends with the same reading of the clock, so the times of a thread add up to the time that
 * passed. on_ns of a thread says who counts its run, as from_ns does for waits: at most one of both is not 0.
 */
#ifndef __TPROF_RUN_PERF_BPF_H
#define __TPROF_RUN_PERF_BPF_H

#include <tprof/wait_state_perf.bpf.h>
#include <tprof/wait_task_perf.bpf.h>

/* From here on, the program counts under the event on-cpu. */
static __always_inline void tprof_run_enter(struct tprof_cpu_ledger *ledger, struct tprof_run *run)
{
	run->event = (tprof_object.run_event - 1) & (TPROF_OBJECT_EVENTS - 1);
	run->ledger = &ledger->generations[run->current][run->event];
}

/* Counts a run whose length is not known: it is out of scope, or lost. */
static __always_inline void tprof_run_miss(struct tprof_cpu_ledger *ledger, struct tprof_run *run, int in_scope)
{
	if (!tprof_object.run_event || tprof_wait_mode(ledger) != TPROF_WAIT_COUNT)
		return;
	tprof_run_enter(ledger, run);
	tprof_tally_add(&run->ledger->fired, 0);
	tprof_tally_add(in_scope ? &run->ledger->lost.threads_full : &run->ledger->outcomes.out_of_scope, 0);
}

/* Completes the sample of a run from @from to @now, and counts it as fired. */
static __always_inline void tprof_run_measure(struct tprof_sample *s, __u64 from, __u64 now,
					      struct tprof_cpu_ledger *ledger, struct tprof_run *run)
{
	tprof_run_enter(ledger, run);
	s->weight = now - from;
	s->addr = 0;
	s->data = 0;
	s->time_ns = now;
	s->event = run->event;
	s->flags &= ~TPROF_SAMPLE_WAIT;
	tprof_tally_add(&run->ledger->fired, s->weight);
}

/* A run begins. */
static __always_inline void tprof_run_begin(struct tprof_wait_state *state, __u32 cpu, __u64 now)
{
	state->on_cpu = cpu;
	tprof_exchange(&state->on_ns, now);
}

/*
 * The kernel may run no programs when it switches from certain threads: then another thread leaves this CPU than the
 * one that came to run last. How long that one ran is not known, so none of it counts. @prev: the thread that leaves
 */
static __always_inline void tprof_run_lose(struct tprof_cpu_ledger *ledger, __u32 prev)
{
	__u32 tid = ledger->running;
	struct tprof_wait_state *state;

	if (!tprof_object.run_event || !tid || tid == prev)
		return;
	state = tprof_wait_lookup(tid);
	if (state && state->on_cpu == ledger->cpu && tprof_exchange(&state->on_ns, 0))
		state->wait.sample.tid = 0;
}

/* Differences between the clock and what the scheduler has counted that are no wait: what else is done in a switch. */
#define TPROF_RUN_SLACK_NS	1000000

/*
 * The scheduler may have counted less than the time since the current thread came to run. Shortens its run by that
 * time, and returns it: it becomes part of its next wait. @unseen: it has left the CPU and come back unseen
 */
static __always_inline __u64 tprof_run_shorten(struct tprof_wait_state *state, __u64 ran, __u64 now, int unseen)
{
	__u64 on = state->on_ns, away;

	if (!on || on >= now || now - on <= ran + (unseen ? 0 : TPROF_RUN_SLACK_NS))
		return 0;
	away = now - on - ran;
	if (tprof_compare_exchange(&state->on_ns, on, on + away) != on)
		return 0;
	return away;
}

/* The run of the current thread is over. Returns 0 if it is not for the filter. */
static __always_inline int tprof_run_over(struct tprof_wait_state *state, __u64 now, struct tprof_cpu_ledger *ledger,
					  struct tprof_run *run)
{
	__u64 from;

	if (!tprof_object.run_event)
		return 0;
	from = tprof_exchange(&state->on_ns, 0);
	/* The part up to now, or more, may have been counted. */
	if (!from || from >= now || tprof_wait_mode(ledger) != TPROF_WAIT_COUNT)
		return 0;
	tprof_run_measure(&state->wait.sample, from, now, ledger, run);
	state->wait.sample.cpu = tprof_perf_cpu(ledger);
	return 1;
}

/* Takes the part of a run up to now, as tprof_part_take(). A thread that runs has no call stack. */
static __always_inline int tprof_run_take(struct tprof_wait_state *state, struct tprof_wait_state *copy, __u64 now,
					  struct tprof_cpu_ledger *ledger, struct tprof_run *run)
{
	__u64 from;

	if (!tprof_object.run_event)
		return 0;
	from = tprof_compare_exchange(&state->on_ns, 0, 0);
	if (!from || from >= now)
		return 0;
	*copy = *state;
	if (tprof_compare_exchange(&state->on_ns, from, now) != from || tprof_wait_mode(ledger) != TPROF_WAIT_COUNT)
		return 0;
	tprof_run_measure(&copy->wait.sample, from, now, ledger, run);
	return 1;
}

/* Describes a thread that comes to run while the loader seeds, and begins its run. Its state was not known before. */
static __noinline void tprof_run_seed(struct tprof_wait_state *state, __u64 task, __u32 cpu, __u64 now)
{
	if (!state)
		return;
	tprof_task_describe(&state->wait.sample, task);
	if (tprof_task_in_scope(&state->wait.sample, task))
		tprof_run_begin(state, cpu, now);
	else
		state->wait.sample.tid = 0;
}

/* A thread that comes to run is no longer unknown (tprof_seed). */
static __always_inline void tprof_wait_know(__u32 tid, __u64 task, __u32 cpu, __u64 now)
{
	tprof_wait_insert(tid, &tprof_wait_fresh);
	if (tprof_object.run_event)
		tprof_run_seed(bpf_map_lookup_elem(&tprof_waits, &tid), task, cpu, now);
}

#endif
