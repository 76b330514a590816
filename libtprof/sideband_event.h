/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The dummy perf event of one CPU that tells of processes, and its ring. */
#ifndef TPROF_SIDEBAND_EVENT_H
#define TPROF_SIDEBAND_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "perf_ring.h"

/* What the kernel granted for the last event, to begin with for the next one. */
struct sideband_limits {
	unsigned int nr_pages;		/* of a ring, a power of two */
};

/* 256 KiB with pages of 4 KiB: a second of 200 short-lived programs a second. */
#define SIDEBAND_MAX_PAGES 64

struct sideband_event {
	int fd;
	void *map;
	size_t map_size;
	struct perf_ring ring;
};

/* Opens and enables. Errors: EPERM, EACCES, EMFILE, ENOMEM, ENODEV (CPU is offline), EOPNOTSUPP. */
int sideband_event_open(struct sideband_event *event, unsigned int cpu, struct sideband_limits *limits);
void sideband_event_close(struct sideband_event *event);

#endif
