/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Reads records from the mmap ring buffer of a perf event.
 *
 * Between perf_ring_begin() and perf_ring_end() the kernel does not overwrite the records being read. The content of
 * the ring is not trusted: a malformed record ends the reading, and the rest is discarded.
 */
#ifndef TPROF_PERF_RING_H
#define TPROF_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size field of a record has 16 bits. */
#define PERF_RECORD_SIZE_MAX 65536

struct perf_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size;			/* bytes of data, a power of two */
	uint64_t head, tail;		/* valid from begin to end; never wrap, the offset is modulo size */
	bool corrupt;			/* data was discarded since begin */
	uint64_t used;			/* set by end: an upper bound of the bytes in use since the last end */
};

/* @data: the data pages, which follow @page in the mapping. */
void perf_ring_init(struct perf_ring *ring, struct perf_event_mmap_page *page, const void *data,
		    uint64_t size);
/* Reads how far the kernel has written. */
void perf_ring_begin(struct perf_ring *ring);
/*
 * Returns the oldest record, or NULL if there is none. It lies in the ring, or in @scratch (PERF_RECORD_SIZE_MAX bytes,
 * 8-byte aligned) if it wraps around. Valid until perf_ring_end() or the next use of @scratch.
 */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring, void *scratch);
/* Removes the oldest record. Only after perf_ring_peek() has returned it. */
void perf_ring_pop(struct perf_ring *ring);
/* Releases the space of the removed records to the kernel. */
void perf_ring_end(struct perf_ring *ring);

#endif
