/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The rings of the side-band events, one for each CPU, read as one in order of time.
 *
 * A ring that was found more than half full is replaced by one four times as large, up to SIDEBAND_GROWN_PAGES and, of
 * all rings together, SIDEBAND_ALL_PAGES: so a CPU on which many programs start and end has a large one, others need
 * none. For a moment both are there and the kernel writes to both, so that nothing falls between.
 *
 * What found no room is known from the kernel's count, so also when no record follows that would tell.
 */
#ifndef TPROF_SIDEBAND_RINGS_H
#define TPROF_SIDEBAND_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "event/cpus.h"
#include "rights/broker.h"
#include "sideband_record.h"

/* 256 KiB with pages of 4 KiB: a second of 200 short-lived programs a second. */
#define SIDEBAND_PAGES 64
/* 4 MiB: more than a second of 2,000 short-lived programs a second, for a reader that has to wait for its turn. */
#define SIDEBAND_GROWN_PAGES 1024
/* 64 MiB, or as much as all have at first. */
#define SIDEBAND_ALL_PAGES 16384

struct sideband_ring;

struct sideband_rings {
	struct sideband_ring *rings;
	size_t nr, max;
	size_t nr_pages;		/* of all of them */
	void *scratch;			/* for records that wrap around; PERF_RECORD_SIZE_MAX bytes */
	int epoll_fd;			/* -1: none yet */
	bool cannot_grow;		/* the kernel gives no more: perf_event_mlock_kb, or no memory */
	uint64_t nr_lost;
	const struct log *log;
	struct broker *broker;		/* opens larger ones, if there is one */
};

/* Opens and enables one for each CPU. Errors as sideband_event_open(). To be closed on failure, too. */
int sideband_rings_open(struct sideband_rings *rings, const struct cpus *cpus, const struct log *log);
void sideband_rings_close(struct sideband_rings *rings);

/* Adds their descriptors to an epoll set, and those of later ones. */
int sideband_rings_watch(struct sideband_rings *rings, int epoll_fd);

/* Calls @fn for all records up to that time, oldest first. Returns how many. */
int sideband_rings_read(struct sideband_rings *rings, uint64_t until_ns,
			void (*fn)(void *ctx, const struct sideband_record *record), void *ctx);

/* Asks the kernel for all it lost, and not only where a ring was seen to be full. */
void sideband_rings_count_lost(struct sideband_rings *rings);

#endif
