// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Converts a rate to a period. */
#include "rate.h"

/*
 * Avoids aliasing. Work that repeats at exactly the sampling rate would be sampled at the same point every time: always
 * in the same function, or always asleep. The period of a clock is therefore 0.618 % longer than requested. The
 * sampling point then moves through one cycle of such work every 162 samples; from 400 samples on, the error of an
 * incomplete cycle is smaller than the statistical error. The offset is not random, so that sessions with the same rate
 * can share a source.
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
	/*
	 * Software events, tracepoints and places in code start with a period of 1, until their frequency is measured.
	 * Hardware events start as if the CPU ran at 2 GHz.
	 */
	if (event->type == PERF_TYPE_SOFTWARE || event_is_counted_singly(event))
		return 1;
	return 2000000000ULL / rate_hz;
}

uint64_t rate_next_period(uint64_t period, uint64_t rate_hz, double events_per_s)
{
	double wanted = events_per_s / (double)rate_hz, now = (double)period;

	if (wanted < 1)
		wanted = 1;
	/* Ignores deviations below 10 %. Otherwise moves half of the way, rounded so that it always moves. */
	if (wanted > now * 0.9 && wanted < now * 1.1)
		return period;
	return wanted < now ? (uint64_t)((wanted + now) / 2) : (uint64_t)((wanted + now + 1) / 2);
}
