// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Attributes the missing samples of one CPU to causes. */
#include "cpu_missing.h"

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void add(struct tprof_tally *tally, uint64_t samples, uint64_t period)
{
	tally->samples += samples;
	tally->weight += samples * period;
}

void cpu_missing_update(struct cpu_missing *missing, const struct cpu_reading *reading)
{
	uint64_t named = missing->engine_missed.samples + missing->throttled.samples + missing->idle_missed.samples;
	uint64_t more = less(reading->counter + reading->throttled, reading->arrived + named);
	uint64_t idle = lesser(more, less(reading->idle, reading->idle_arrived + missing->idle_missed.samples));
	uint64_t throttled = lesser(more - idle, less(reading->throttled, missing->throttled.samples));

	add(&missing->idle_missed, idle, reading->period);
	add(&missing->throttled, throttled, reading->period);
	add(&missing->engine_missed, more - idle - throttled, reading->period);
}
