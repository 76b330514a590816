/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The side-band event of one CPU: a dummy perf event that reports forks, exits, names and mappings, and its ring. */
#ifndef TPROF_SIDEBAND_EVENT_H
#define TPROF_SIDEBAND_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "event/perf_ring.h"

/* Every record ends with these fields. */
#define SIDEBAND_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* The limits that the kernel accepted for the last event; the next event starts with them. */
struct sideband_limits {
	unsigned int nr_pages;		/* pages of the ring, a power of two */
	bool no_lost_count;		/* set before Linux 6.0 */
};

struct sideband_event {
	unsigned int cpu;
	unsigned int nr_pages;
	int fd;
	void *map;
	size_t map_size;
	struct perf_ring ring;
	bool counts_lost;
	uint64_t nr_lost;		/* count at the last read */
};

struct broker;

/* Returns the file descriptor of an event on the CPU, or -errno. */
int sideband_event_new(unsigned int cpu, const struct sideband_limits *limits);

/*
 * Opens and enables the event, through the broker if there is one. Errors: EPERM, EACCES, EMFILE, ENOMEM, ENODEV (the
 * CPU is offline), EOPNOTSUPP.
 */
int sideband_event_open(struct sideband_event *event, unsigned int cpu, struct sideband_limits *limits,
			struct broker *broker);
void sideband_event_close(struct sideband_event *event);

/*
 * Number of records lost since the last call because the ring was full; 0 if the kernel does not count them. Interrupts
 * the CPU of the event.
 */
uint64_t sideband_event_lost(struct sideband_event *event);

#endif
