/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters, called for a sample, timed, and switched off when they take too long. Inline, because it is the innermost
 * loop of the module; for deliver.c alone. Hard interrupt context, or interrupts off, which RCU waits for.
 */
#ifndef _TPROF_FILTER_RUN_H
#define _TPROF_FILTER_RUN_H

#include "clock.h"
#include "sample.h"
#include "session.h"

/* What the filters of a sample said, and that there was one that could not say anything. */
#define SEEN_KEEP	(1U << 0)
#define SEEN_BAD	(1U << 1)
#define SEEN_SKIPPED	(1U << 2)

/*
 * A filter has used up what it may take in a second of the budget. If that second is over, the next one begins with
 * this call; if not, it took more than it may, and is not called again.
 */
static noinline void filter_at_limit(struct tprof_filter_cpu *cpu, u64 began, u64 spent)
{
	struct tprof_filter *filter = cpu->filter;

	/* Also if the clock has gone back, as some do while the machine is suspended. */
	if (began - cpu->window_began >= tprof_filter_window) {
		cpu->window_began = began;
		cpu->left = filter->session->budget - spent;
	}
	if (cpu->left >= 0)
		return;
	WRITE_ONCE(filter->state, TPROF_FILTER_OVER_BUDGET);
	WRITE_ONCE(filter->sample, NULL);
	irq_work_queue(&filter->warn);
}

/* Books the time of a call that has just ended. */
static __always_inline void filter_spent(struct tprof_filter_cpu *cpu, struct tprof_capture *c)
{
	u64 now = tprof_clock();
	u64 spent = now - c->clock;

	/* Or the compiler takes the two times apart again, below. */
	OPTIMIZER_HIDE_VAR(spent);
	c->clock = now;
	cpu->calls++;
	cpu->run += spent;
	if (unlikely(spent > cpu->longest))
		cpu->longest = spent;
	cpu->left -= spent;
	if (unlikely(cpu->left < 0))
		filter_at_limit(cpu, now - spent, spent);
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

/* Calls one filter. Returns what is to be noted of it. */
static __always_inline unsigned int filter_run(const struct tprof_filter *filter, struct tprof_filter_cpu *cpu,
					       struct tprof_capture *c)
{
	int (*sample)(const struct tprof_sample *s) = READ_ONCE(filter->sample);
	int verdict;

	if (unlikely(!sample))
		return SEEN_SKIPPED;
	verdict = sample(&c->sample);
	filter_spent(cpu, c);
	return likely(verdict == TPROF_DONE) ? 0 : filter_said(cpu, verdict);
}

/* The rare answers. */
static noinline unsigned int filters_conclude(struct tprof_session *session, struct tprof_capture *c, unsigned int seen)
{
	if (seen & SEEN_KEEP)
		return tprof_stream_keep(session, &c->sample) ? TPROF_BOOK_LOST(TPROF_LOST_STREAM_FULL) :
								TPROF_OUTCOME_KEPT;
	return TPROF_BOOK_LOST(seen & SEEN_BAD ? TPROF_LOST_BAD_VERDICT : TPROF_LOST_OVER_BUDGET);
}

/* More than one, as the next. */
static noinline unsigned int filters_run_all(struct tprof_session *session, const struct tprof_filters *filters,
					     struct tprof_capture *c)
{
	unsigned int i, seen = 0;

	for (i = 0; i < filters->nr; i++)
		seen |= filter_run(filters->list[i], this_cpu_ptr(filters->list[i]->cpu), c);
	return seen ? filters_conclude(session, c, seen) : TPROF_OUTCOME_DONE;
}

/* Runs all filters on a sample in scope and keeps it if one says so. Returns under what to book it. */
static __always_inline unsigned int filters_run(struct tprof_session *session, struct tprof_capture *c)
{
	const struct tprof_filters *filters = rcu_dereference_sched(session->filters);
	struct tprof_filter_cpu *cpu;
	unsigned int seen;

	if (unlikely(filters->nr != 1))
		return filters->nr ? filters_run_all(session, filters, c) : TPROF_OUTCOME_DONE;
	/* Of what is needed behind the call, all but this is reached through it: there are few registers. */
	cpu = this_cpu_ptr(filters->list[0]->cpu);
	seen = filter_run(filters->list[0], cpu, c);
	return likely(!seen) ? TPROF_OUTCOME_DONE : filters_conclude(cpu->filter->session, c, seen);
}

#endif
