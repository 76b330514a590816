// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The times of counters of a thread on a hybrid machine. The kernel lets their time enabled advance whenever the thread
 * runs, and their time running only on the CPUs of their PMU: the two differ without multiplexing. But the thread is on
 * a CPU of some type all the time, so the times running of the same event of all PMUs add up to the time enabled,
 * unless the event was multiplexed.
 */
#include "counters.h"

/* The events are read one after the other, so their times differ a little. */
#define ALL_OF_THE_TIME 0.99

static uint64_t running_of(const struct tprof_counters *counters, const struct count_slot *slot, size_t event)
{
	const struct count_event *first = &counters->events[event];
	uint64_t running_ns = 0;

	for (size_t k = 0; k < first->nr_alike; k++)
		running_ns += slot->now[event + k * first->alike_step].running_ns;
	return running_ns;
}

void count_alike_correct(const struct tprof_counters *counters, struct count_slot *slot)
{
	for (size_t i = 0; i < counters->nr_events && slot->pid >= 0 && slot->cpu < 0; i++) {
		const struct count_event *first = &counters->events[i];
		double share = first->nr_alike && slot->now[i].enabled_ns ?
			       (double)running_of(counters, slot, i) / (double)slot->now[i].enabled_ns : 0;

		/* Each has run in this share of the time in which the thread was on its CPUs. */
		for (size_t k = 0; k < first->nr_alike && share > 0; k++) {
			struct count_reading *now = &slot->now[i + k * first->alike_step];

			now->enabled_ns = share < ALL_OF_THE_TIME ? (uint64_t)((double)now->running_ns / share) :
								    now->running_ns;
		}
	}
}
