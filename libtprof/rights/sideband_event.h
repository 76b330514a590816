/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The dummy perf event of one CPU that tells of processes, and its ring. */
#ifndef TPROF_SIDEBAND_EVENT_H
#define TPROF_SIDEBAND_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "event/perf_ring.h"

/* Each record ends with these three. */
#define SIDEBAND_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* What the kernel granted for the last event, to begin with for the next one. */
struct sideband_limits {
	unsigned int nr_pages;		/* of a ring, a power of two */
	bool no_lost_count;		/* before Linux 6.0 */
};

struct sideband_event {
	unsigned int cpu;
	unsigned int nr_pages;
	int fd;
	void *map;
	size_t map_size;
	struct perf_ring ring;
	bool counts_lost;
	uint64_t nr_lost;		/* when the kernel was last asked */
};

struct broker;

/* The descriptor of an event of that CPU, or -errno. */
int sideband_event_new(unsigned int cpu, const struct sideband_limits *limits);

/*
 * Opens and enables, by way of the broker if there is one. Errors: EPERM, EACCES, EMFILE, ENOMEM, ENODEV (CPU is
 * offline), EOPNOTSUPP.
 */
int sideband_event_open(struct sideband_event *event, unsigned int cpu, struct sideband_limits *limits,
			struct broker *broker);
void sideband_event_close(struct sideband_event *event);

/*
 * How many records the kernel had no room for since the last call; 0 where it does not count them. Asking interrupts
 * the CPU of the event.
 */
uint64_t sideband_event_lost(struct sideband_event *event);

#endif
