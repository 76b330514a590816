/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Reads records out of the ring that perf_event_open(2) maps.
 *
 * Between perf_ring_begin() and perf_ring_end() the kernel keeps off the records that are being read. Nothing
 * in the ring is trusted: what cannot be a record ends the reading, and the rest is thrown away.
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
	uint64_t head, tail;		/* valid from begin to end; run on for ever, place is modulo size */
	bool corrupt;			/* something was thrown away since begin */
	uint64_t used;			/* after end: bytes that there were, at the most, since the end before */
};

/* @data is what follows the page in the mapping. */
void perf_ring_init(struct perf_ring *ring, struct perf_event_mmap_page *page, const void *data,
		    uint64_t size);
/* Takes note of what the kernel has written so far. */
void perf_ring_begin(struct perf_ring *ring);
/*
 * The oldest record, or NULL if there is none. It lies in the ring, or in @scratch (PERF_RECORD_SIZE_MAX
 * bytes, aligned for 8) if it wraps around; valid until perf_ring_end() or the next use of @scratch.
 */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring, void *scratch);
/* Goes on to the next record; only after a peek that gave one. */
void perf_ring_pop(struct perf_ring *ring);
/* Gives the room of the popped records back to the kernel. */
void perf_ring_end(struct perf_ring *ring);

#endif
