/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The idle time of each CPU while a session was sampling, in samples of each event: time during which it was stopped or
 * paused does not count, and time before a change of the period counts with the period of that time.
 */
#ifndef TPROF_IDLE_TIME_H
#define TPROF_IDLE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of an event on a CPU. */
struct idle_cpu {
	uint64_t base_ns;		/* reading at the last start or change of the period */
	uint64_t before_ns;		/* idle time with this period before the last start */
	uint64_t samples;		/* idle time with earlier periods */
};

struct idle_time {
	struct idle_cpu *cpus;		/* by event and CPU number */
	uint64_t *now_ns;		/* by CPU number: last reading, since boot */
	uint64_t *readings;		/* likewise: scratch */
	size_t nr_events;
	size_t nr_cpus;			/* possible CPUs */
	bool running;
};

/* 0 or -ENOMEM. */
int idle_time_init(struct idle_time *idle, size_t nr_events, size_t nr_cpus);
void idle_time_fini(struct idle_time *idle);

/* Reads /proc/stat. 0 or -errno. */
int idle_time_read(struct idle_time *idle);

/* Call after a reading: the idle time counts from now on, or no longer. */
void idle_time_start(struct idle_time *idle);
void idle_time_stop(struct idle_time *idle);
/* Call after a reading: the idle time of one CPU counts from now on. */
void idle_time_join(struct idle_time *idle, unsigned int cpu);

/* Call after a reading: the period of the event, which was @period until now, changes. */
void idle_time_cut(struct idle_time *idle, size_t event, uint64_t period);

/* The idle time of a CPU with the current period of the event, according to the last reading. */
uint64_t idle_time_ns(const struct idle_time *idle, size_t event, unsigned int cpu);
/* The samples that correspond to the idle time of a CPU, according to the last reading. */
uint64_t idle_time_samples(const struct idle_time *idle, size_t event, unsigned int cpu, uint64_t period);

#endif
