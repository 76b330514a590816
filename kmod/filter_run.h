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

/* Books the time of a call; a filter that took more of this second than it may is not called again. */
static __always_inline void filter_spent(struct tprof_filter *filter, struct tprof_filter_cpu *cpu, u64 budget,
					 u64 began, u64 ended)
{
	u64 spent = ended - began;

	cpu->calls++;
	cpu->run += spent;
	if (unlikely(spent > cpu->longest))
		cpu->longest = spent;
	if (unlikely(began - cpu->window_start >= tprof_filter_window)) {
		cpu->window_start = began;
		cpu->window_run = 0;
	}
	cpu->window_run += spent;
	if (unlikely(cpu->window_run > budget)) {
		WRITE_ONCE(filter->state, TPROF_FILTER_OVER_BUDGET);
		irq_work_queue(&filter->warn);
	}
}

/* The rare answers. */
static noinline unsigned int filters_conclude(struct tprof_session *session, struct tprof_capture *c, unsigned int seen)
{
	if (seen & SEEN_KEEP)
		return tprof_stream_keep(session, &c->sample) ? TPROF_BOOK_LOST(TPROF_LOST_STREAM_FULL) :
								TPROF_OUTCOME_KEPT;
	return TPROF_BOOK_LOST(seen & SEEN_BAD ? TPROF_LOST_BAD_VERDICT : TPROF_LOST_OVER_BUDGET);
}

/*
 * Runs all filters on a sample in scope and keeps it if one says so. Returns under what to book it.
 * @clock: tprof_clock() of just before, and of just after.
 */
static __always_inline unsigned int filters_run(struct tprof_session *session, struct tprof_capture *c, u64 *clock)
{
	const struct tprof_filters *filters = rcu_dereference(session->filters);
	unsigned int i, seen = 0;

	if (unlikely(session->flags & TPROF_CONFIG_STALL) && !tprof_stream_has_room(session, &c->sample))
		return TPROF_BOOK_LOST(TPROF_LOST_STREAM_FULL);
	for (i = 0; i < filters->nr; i++) {
		struct tprof_filter *filter = filters->list[i];
		struct tprof_filter_cpu *cpu;
		u64 ended;
		int verdict;

		if (unlikely(READ_ONCE(filter->state) != TPROF_FILTER_ACTIVE)) {
			seen |= SEEN_SKIPPED;
			continue;
		}
		verdict = READ_ONCE(filter->ops)->sample(&c->sample);
		ended = tprof_clock();
		cpu = this_cpu_ptr(filter->cpu);
		filter_spent(filter, cpu, session->budget, *clock, ended);
		*clock = ended;
		if (likely(verdict == TPROF_DONE))
			continue;
		if (verdict == TPROF_KEEP) {
			seen |= SEEN_KEEP;
			cpu->kept++;
		} else {
			seen |= SEEN_BAD;
			cpu->bad++;
		}
	}
	return likely(!seen) ? TPROF_OUTCOME_DONE : filters_conclude(session, c, seen);
}

#endif
