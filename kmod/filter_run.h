/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls the filters of a session for a sample, measures their run time, and disables a filter that exceeds its budget.
 * Inline, because this is the innermost loop of the module; included by deliver.c only. Hard interrupt context or
 * interrupts disabled: an RCU read-side critical section.
 */
#ifndef _TPROF_FILTER_RUN_H
#define _TPROF_FILTER_RUN_H

#include <linux/filter.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "deliver.h"
#include "sample.h"
#include "session.h"
#include "throttle.h"

/* Results of the filters of a sample. All clear: every filter returned TPROF_DONE. */
#define SEEN_KEEP	(1U << 0)		/* a filter returned TPROF_KEEP */
#define SEEN_BAD	(1U << 1)		/* a filter returned an invalid verdict */
#define SEEN_SKIPPED	(1U << 2)		/* a filter is disabled and was not called */

/*
 * A filter has used up a slice of its budget. If the one-second window of the budget is over, this call starts the next
 * one. Otherwise, if nothing of the budget is left, the filter is disabled. Also looks at the budget of all samples, so
 * that filters that are called seldom and take long cannot exceed it for long.
 */
static noinline void filter_at_limit(struct tprof_filter_cpu *cpu, struct tprof_capture *c, u64 began, u64 spent)
{
	struct tprof_filter *filter = cpu->filter;

	tprof_throttle_spent(filter->session->events[c->sample.event].source, cpu->slice - cpu->left, began + spent);
	/* Unsigned: also true if the clock went backwards, as some do across a suspend. */
	if (began - cpu->window_began >= tprof_filter_window) {
		cpu->window_began = began;
		cpu->rest = filter->session->budget - spent;
	} else {
		cpu->rest += cpu->left;
	}
	cpu->slice = clamp(cpu->rest, 0, (s64)tprof_filter_window / 1000);
	cpu->left = cpu->slice;
	cpu->rest -= cpu->slice;
	if (cpu->rest >= 0)
		return;
	WRITE_ONCE(filter->disabled_ns, ktime_get_mono_fast_ns());
	WRITE_ONCE(filter->state, TPROF_FILTER_OVER_BUDGET);
	WRITE_ONCE(filter->ops, NULL);
	irq_work_queue(&filter->warn);
}

/* @spent is negative if an NMI came after the clock was read: it has moved tprof_capture.clock on. */
static noinline void filter_took_long(struct tprof_filter_cpu *cpu, s64 spent)
{
	if (spent > 0)
		cpu->longest = spent;
}

/* Charges the run time of the call that has just returned. */
static __always_inline void filter_spent(struct tprof_filter_cpu *cpu, struct tprof_capture *c)
{
	u64 now = tprof_clock();
	u64 spent = now - READ_ONCE(c->clock);

	/* Keeps the compiler from recomputing the difference below. */
	OPTIMIZER_HIDE_VAR(spent);
	WRITE_ONCE(c->clock, now);
	cpu->calls++;
	cpu->run += spent;
	__this_cpu_add(tprof_delivery.busy, spent);
	if (unlikely(spent > cpu->longest))
		filter_took_long(cpu, spent);
	cpu->left -= spent;
	if (unlikely(cpu->left < 0))
		filter_at_limit(cpu, c, now - spent, spent);
}

static noinline unsigned int filter_said(struct tprof_filter_cpu *cpu, int verdict)
{
	if (verdict == TPROF_KEEP) {
		cpu->kept++;
		return SEEN_KEEP;
	}
	cpu->bad++;
	return SEEN_BAD;
}

/* Charges a filter that has just returned. Returns its SEEN_* bits. */
static __always_inline unsigned int filter_ran(struct tprof_filter_cpu *cpu, struct tprof_capture *c, int verdict)
{
	filter_spent(cpu, c);
	return likely(verdict == TPROF_DONE) ? 0 : filter_said(cpu, verdict);
}

/* filter_run() through the trampoline, if the filter is not disabled. */
static noinline unsigned int filter_run_trampoline(const struct tprof_filter_ops *ops, struct tprof_filter_cpu *cpu,
						   struct tprof_capture *c)
{
	return ops ? filter_ran(cpu, c, ops->sample(&c->sample)) : SEEN_SKIPPED;
}

/*
 * Calls one filter. Returns its SEEN_* bits. The end of the previous call is the beginning of this one, so what takes
 * time in between sets tprof_capture.clock: no filter is charged for another session.
 *
 * The trampoline would enter an RCU read-side critical section and disable migration, which this context implies, and
 * set a context for helpers that filters may not call. For BPF_ENABLE_STATS, bpf_prog_run() counts as it does.
 */
static __always_inline unsigned int filter_run(const struct tprof_filter *filter, struct tprof_filter_cpu *cpu,
					       struct tprof_capture *c)
{
	const struct tprof_filter_ops *ops = READ_ONCE(filter->ops);
	const u64 arguments[] = { (unsigned long)&c->sample };

	if (unlikely(!ops || !ops->prog))
		return filter_run_trampoline(ops, cpu, c);
	return filter_ran(cpu, c, bpf_prog_run(ops->prog, arguments));
}

/* Slow path: not all filters returned TPROF_DONE. Keeps the sample if one wants it. Returns the ledger slot. */
static noinline unsigned int filters_conclude(struct tprof_session *session, struct tprof_capture *c, unsigned int seen)
{
	if (seen & SEEN_KEEP) {
		int err = tprof_stream_keep(session, &c->sample);

		tprof_capture_restart(c);
		return err ? TPROF_SLOT_LOST(TPROF_LOST_STREAM_FULL) : TPROF_OUTCOME_KEPT;
	}
	return TPROF_SLOT_LOST(seen & SEEN_BAD ? TPROF_LOST_BAD_VERDICT : TPROF_LOST_OVER_BUDGET);
}

/* filters_run() for sessions that do not have exactly one filter. */
static noinline unsigned int filters_run_all(struct tprof_session *session, const struct tprof_filters *filters,
					     struct tprof_capture *c)
{
	unsigned int i, seen = 0;

	tprof_capture_restart(c);
	for (i = 0; i < filters->nr; i++)
		seen |= filter_run(filters->list[i], this_cpu_ptr(filters->list[i]->cpu), c);
	return seen ? filters_conclude(session, c, seen) : TPROF_OUTCOME_DONE;
}

/* Calls all filters for a sample in scope, and keeps the sample if one returns TPROF_KEEP. Returns the ledger slot. */
static __always_inline unsigned int filters_run(struct tprof_session *session, struct tprof_capture *c)
{
	const struct tprof_filters *filters = rcu_dereference_sched(session->filters);
	struct tprof_filter_cpu *cpu;
	unsigned int seen;

	if (unlikely(filters->nr != 1))
		return filters_run_all(session, filters, c);
	/* Register pressure: after the call only @cpu and @c are live; the session is reached through @cpu. */
	cpu = this_cpu_ptr(filters->list[0]->cpu);
	seen = filter_run(filters->list[0], cpu, c);
	return likely(!seen) ? TPROF_OUTCOME_DONE : filters_conclude(cpu->filter->session, c, seen);
}

/* Calls what the filter has for waits or wake-ups, and else its TPROF_FILTER(). */
static int filter_call_wait(const struct tprof_filter_ops *ops, const struct tprof_capture *c)
{
	if (c->sample.flags & TPROF_SAMPLE_WAKEUP)
		return ops->wakeup ? ops->wakeup(&c->wakeup) : ops->sample(&c->sample);
	return ops->offcpu ? ops->offcpu(&c->wait) : ops->sample(&c->sample);
}

/* filters_run() for a wait or a wake-up. All programs are called through their trampolines. */
static noinline unsigned int filters_run_wait(struct tprof_session *session, struct tprof_capture *c)
{
	const struct tprof_filters *filters = rcu_dereference_sched(session->filters);
	unsigned int i, seen = 0;

	tprof_capture_restart(c);
	for (i = 0; i < filters->nr; i++) {
		const struct tprof_filter_ops *ops = READ_ONCE(filters->list[i]->ops);
		struct tprof_filter_cpu *cpu = this_cpu_ptr(filters->list[i]->cpu);

		seen |= ops ? filter_ran(cpu, c, filter_call_wait(ops, c)) : SEEN_SKIPPED;
	}
	return seen ? filters_conclude(session, c, seen) : TPROF_OUTCOME_DONE;
}

#endif
