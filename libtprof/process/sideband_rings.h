/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The rings of the side-band events, one per CPU, merged in order of time.
 *
 * A ring that was more than half full is replaced by one four times as large, up to SIDEBAND_GROWN_PAGES per ring and
 * SIDEBAND_ALL_PAGES for all. Only CPUs on which many programs start and exit get a large ring. Both rings exist for a
 * moment and the kernel writes to both, so that no record is missed.
 *
 * The number of lost records comes from the kernel's count, so it is known even if no further record reports it.
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

/* 256 KiB with 4 KiB pages: one second at 200 short-lived programs per second. */
#define SIDEBAND_PAGES 64
/* 4 MiB: more than one second at 2,000 short-lived programs per second, for a reader that gets CPU time late. */
#define SIDEBAND_GROWN_PAGES 1024
/* 64 MiB, or the total of the initial rings if that is more. */
#define SIDEBAND_ALL_PAGES 16384

struct sideband_ring;

struct sideband_rings {
	struct sideband_ring *rings;
	size_t nr, max;
	size_t nr_pages;		/* total of all rings */
	void *scratch;			/* for records that wrap around; PERF_RECORD_SIZE_MAX bytes */
	int epoll_fd;			/* -1: not set yet */
	bool cannot_grow;		/* the kernel permits no more: perf_event_mlock_kb, or no memory */
	uint64_t nr_lost;
	const struct log *log;
	struct broker *broker;		/* opens larger rings; may be NULL */
};

/*
 * Opens and enables one event per CPU. Errors: those of sideband_event_open(). Call sideband_rings_close() on failure
 * too.
 */
int sideband_rings_open(struct sideband_rings *rings, const struct cpus *cpus, const struct log *log);
void sideband_rings_close(struct sideband_rings *rings);

/* Adds the file descriptors to an epoll set, and later those of new rings. */
int sideband_rings_watch(struct sideband_rings *rings, int epoll_fd);

/* Calls @fn for all records up to @until_ns, oldest first. Returns their number. */
int sideband_rings_read(struct sideband_rings *rings, uint64_t until_ns,
			void (*fn)(void *ctx, const struct sideband_record *record), void *ctx);

/* Asks the kernel for the lost records of all rings, not only of those that were full. */
void sideband_rings_count_lost(struct sideband_rings *rings);

#endif
