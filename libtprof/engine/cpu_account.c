// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Attributes the missing samples of one CPU to causes. */
#include "cpu_account.h"

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

void cpu_account_update(struct cpu_account *account, const struct cpu_reading *reading)
{
	uint64_t named = account->engine_missed.samples + account->throttled.samples + account->idle_missed.samples;
	uint64_t missing = less(reading->counter + reading->throttled, reading->arrived + named);
	uint64_t idle = lesser(missing, less(reading->idle, reading->idle_arrived + account->idle_missed.samples));
	uint64_t throttled = lesser(missing - idle, less(reading->throttled, account->throttled.samples));

	add(&account->idle_missed, idle, reading->period);
	add(&account->throttled, throttled, reading->period);
	add(&account->engine_missed, missing - idle - throttled, reading->period);
}
