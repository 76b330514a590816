/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * One perf event on one CPU with a filter's program attached, and the number of samples that it should have produced.
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
	uint64_t value;			/* last reading of the counter, in units of the event */
	uint64_t enabled_ns;		/* time enabled */
	uint64_t running_ns;		/* time running; less than enabled_ns under multiplexing */
	uint64_t earlier_fired;		/* overflows before the period was last changed */
	uint64_t earlier_value;		/* value at that time */
};

/* Opens the event disabled and attaches the program. Returns 0 or -errno. */
int perf_counter_open(struct perf_counter *counter, const struct event *event, uint64_t period, int cpu,
		      int program_fd);
void perf_counter_close(struct perf_counter *counter);

int perf_counter_enable(const struct perf_counter *counter);
int perf_counter_disable(const struct perf_counter *counter);

/* Reads value and times. */
int perf_counter_read(struct perf_counter *counter);

/* Number of overflows according to the last reading, as an integer and with its fraction. */
uint64_t perf_counter_fired(const struct perf_counter *counter);
double perf_counter_quotient(const struct perf_counter *counter);

/*
 * Number of overflows of a clock that throttling prevented, according to the last reading. A clock counts time, so time
 * running that it did not count is time in which it was throttled.
 */
uint64_t perf_counter_throttled(const struct perf_counter *counter);

/* Takes effect at once. The part of a period that has elapsed produces no sample. */
int perf_counter_set_period(struct perf_counter *counter, uint64_t period);

#endif
