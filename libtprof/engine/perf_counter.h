/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * One perf event on one CPU with the program of a filter on it, and the arithmetic that tells how many samples
 * it should have given.
 */
#ifndef TPROF_PERF_COUNTER_H
#define TPROF_PERF_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

struct perf_counter {
	int fd;
	int link_fd;
	uint64_t period;
	uint64_t value;			/* as last read: what it counted, in units of the event */
	uint64_t enabled_ns;		/* how long it was meant to count */
	uint64_t running_ns;		/* how long it was on the CPU */
	uint64_t earlier_fired;		/* firings before the period was last changed */
	uint64_t earlier_value;		/* what it had counted then */
};

/* Opens it disabled and puts the program on it. Returns 0 or -errno. */
int perf_counter_open(struct perf_counter *counter, const struct event *event, uint64_t period, int cpu,
		      int program_fd);
void perf_counter_close(struct perf_counter *counter);

int perf_counter_enable(const struct perf_counter *counter);
int perf_counter_disable(const struct perf_counter *counter);

/* Reads value and times. */
int perf_counter_read(struct perf_counter *counter);

/* By what was last read: how often it has fired, whole and broken. */
uint64_t perf_counter_fired(const struct perf_counter *counter);
double perf_counter_quotient(const struct perf_counter *counter);

/*
 * By what was last read: how often a clock would have fired in the time that the kernel had it stopped. A clock
 * counts the time it runs, so time on the CPU that it did not count is time for which it was throttled.
 */
uint64_t perf_counter_throttled(const struct perf_counter *counter);

/* Takes effect at once; the part of a period that had passed is not sampled. */
int perf_counter_set_period(struct perf_counter *counter, uint64_t period);

#endif
