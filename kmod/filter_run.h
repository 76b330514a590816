/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters, called for a sample, timed, and switched off when they take too long. Inline, because it is the innermost
 * loop of the module; for sample.c alone. Hard interrupt context, or interrupts off; under RCU.
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
 * A filter has reached its limit. If the second is over in which it may do so, the next one begins with this call; if
 * not, it took more of it than it may, and is not called again.
 */
static noinline void filter_at_limit(struct tprof_filter *filter, struct tprof_filter_cpu *cpu, u64 began, u64 spent)
{
	if (!cpu->limit || began - cpu->window_start >= tprof_filter_window) {
		cpu->window_start = began;
		cpu->limit = cpu->run - spent + filter->session->budget;
	}
	if (cpu->run <= cpu->limit)
		return;
	WRITE_ONCE(filter->state, TPROF_FILTER_OVER_BUDGET);
	irq_work_queue(&filter->warn);
}

/* Books the time of a call. */
static __always_inline void filter_spent(struct tprof_filter *filter, struct tprof_filter_cpu *cpu, u64 began,
					 u64 ended)
{
	u64 spent = ended - began;

	cpu->calls++;
	cpu->run += spent;
	if (unlikely(spent > cpu->longest))
		cpu->longest = spent;
	if (unlikely(cpu->run > cpu->limit))
		filter_at_limit(filter, cpu, began, spent);
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

/*
 * Calls one filter. Returns what is to be noted of it.
 * @clock: tprof_clock() of just before, and of just after.
 */
static __always_inline unsigned int filter_run(struct tprof_filter *filter, struct tprof_capture *c, u64 *clock)
{
	struct tprof_filter_cpu *cpu;
	u64 ended;
	int verdict;

	if (unlikely(READ_ONCE(filter->state) != TPROF_FILTER_ACTIVE))
		return SEEN_SKIPPED;
	verdict = READ_ONCE(filter->ops)->sample(&c->sample);
	ended = tprof_clock();
	cpu = this_cpu_ptr(filter->cpu);
	filter_spent(filter, cpu, *clock, ended);
	*clock = ended;
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
					     struct tprof_capture *c, u64 *clock)
{
	unsigned int i, seen = 0;

	for (i = 0; i < filters->nr; i++)
		seen |= filter_run(filters->list[i], c, clock);
	return seen ? filters_conclude(session, c, seen) : TPROF_OUTCOME_DONE;
}

/*
 * Runs all filters on a sample in scope and keeps it if one says so. Returns under what to book it.
 * @clock: as above
 */
static __always_inline unsigned int filters_run(struct tprof_session *session, struct tprof_capture *c, u64 *clock)
{
	const struct tprof_filters *filters = rcu_dereference(session->filters);
	struct tprof_filter *filter;
	unsigned int seen;

	if (unlikely(filters->nr != 1))
		return filters->nr ? filters_run_all(session, filters, c, clock) : TPROF_OUTCOME_DONE;
	filter = filters->list[0];
	seen = filter_run(filter, c, clock);
	return likely(!seen) ? TPROF_OUTCOME_DONE : filters_conclude(filter->session, c, seen);
}

#endif
