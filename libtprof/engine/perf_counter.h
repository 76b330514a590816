/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * One perf event on one CPU with a filter's program attached, and the number of samples that it should have produced.
 */
#ifndef TPROF_PERF_COUNTER_H
#define TPROF_PERF_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "event/event.h"

struct perf_counter {
	int fd;				/* -1: not open, as on the CPUs of other types on a hybrid machine */
	int link_fd;
	uint64_t period;
	uint64_t value;			/* last reading of the counter, in units of the event */
	uint64_t enabled_ns;		/* time enabled */
	uint64_t running_ns;		/* time running; less than enabled_ns under multiplexing */
	uint64_t earlier_fired;		/* overflows before the period was last changed */
	uint64_t earlier_throttled;	/* likewise: overflows that throttling prevented */
	uint64_t earlier_value;		/* value at that time */
	uint64_t earlier_running_ns;	/* time running at that time */
	uint64_t past_enabled_ns;	/* of the events that this one continues */
	uint64_t past_running_ns;	/* likewise */
};

struct broker;

/* The program of an event, and what it gets from bpf_get_attach_cookie(): the index of the event. */
struct perf_attached {
	int program_fd;
	uint64_t cookie;
	struct broker *broker;		/* opens the event; NULL: this process does */
};

/* Opens the event disabled and attaches the program. Returns 0 or -errno. */
int perf_counter_open(struct perf_counter *counter, const struct event *event, uint64_t period, int cpu,
		      const struct perf_attached *with);
/*
 * Attaches another program to the event, which is disabled. Returns 0 or -errno, then no program is attached. EEXIST:
 * another process holds the link of the old program, so that it stays attached.
 */
int perf_counter_attach(struct perf_counter *counter, const struct perf_attached *with);
/* Says why perf_counter_open() failed with the errno @err. Returns -errno. */
int perf_counter_explain(const struct event *event, unsigned int cpu, int err, struct tprof_error *error);
void perf_counter_close(struct perf_counter *counter);

/* 0 or -errno. A counter that is not open stays so. */
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

/*
 * Changes the period of a disabled event that is not a clock, after a reading. A new period begins; the elapsed part of
 * the old one produces no sample. Returns 0 or -errno.
 */
int perf_counter_set_period(struct perf_counter *counter, uint64_t period);

/*
 * Continues a disabled counter, after a reading, with another event on the same CPU: @with, which is disabled and
 * belongs to @counter afterwards. The counts go on; the elapsed part of the period produces no sample.
 */
void perf_counter_continue(struct perf_counter *counter, const struct perf_counter *with);

#endif
