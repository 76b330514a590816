// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* From a rate to a period. */
#include "rate.h"

/*
 * What happens exactly as often as it is sampled would be found in the same place each time: in one of its functions,
 * or asleep. A clock is therefore a little slower than was asked for, and passes through all of what is in step with
 * the rate once in 162 samples: what is left over of such a round is less than chance from 400 samples on. Not random,
 * so that sessions of the same rate share a source.
 */
static uint64_t out_of_step(uint64_t period_ns)
{
	return period_ns + period_ns * 618 / 100000;
}

uint64_t rate_first_period(const struct event *event, uint64_t rate_hz, uint64_t period)
{
	if (!rate_hz)
		return period;
	if (event_is_clock(event))
		return out_of_step(1000000000ULL / rate_hz);
	/* The kernel's own: each one, until the rate is known; hardware: as if the CPU ran at 2 GHz. */
	if (event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT)
		return 1;
	return 2000000000ULL / rate_hz;
}

uint64_t rate_next_period(uint64_t period, uint64_t rate_hz, double events_per_s)
{
	double wanted = events_per_s / (double)rate_hz, now = (double)period;

	if (wanted < 1)
		wanted = 1;
	/* Not for a tenth more or less; half of the way, and never short of moving at all. */
	if (wanted > now * 0.9 && wanted < now * 1.1)
		return period;
	return wanted < now ? (uint64_t)((wanted + now) / 2) : (uint64_t)((wanted + now + 1) / 2);
}
