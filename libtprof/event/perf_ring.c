// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads records from the mmap ring buffer of a perf event. */
#include "perf_ring.h"

#include <string.h>

void perf_ring_init(struct perf_ring *ring, struct perf_event_mmap_page *page, const void *data,
		    uint64_t size)
{
	*ring = (struct perf_ring){ .page = page, .data = data, .size = size };
}

void perf_ring_begin(struct perf_ring *ring)
{
	/* Pairs with the kernel's barrier before it publishes data_head. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	ring->tail = ring->page->data_tail;
	ring->corrupt = false;
}

static void ring_copy(const struct perf_ring *ring, void *to, uint64_t at, size_t size)
{
	uint64_t place = at & (ring->size - 1);
	size_t first = size;

	if (first > ring->size - place)
		first = ring->size - place;
	memcpy(to, ring->data + place, first);
	memcpy((uint8_t *)to + first, ring->data, size - first);
}

static const struct perf_event_header *ring_throw_away(struct perf_ring *ring)
{
	ring->corrupt = true;
	ring->tail = ring->head;
	return NULL;
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *ring, void *scratch)
{
	uint64_t nr = ring->head - ring->tail, place = ring->tail & (ring->size - 1);
	struct perf_event_header header;

	if (!nr)
		return NULL;
	if (nr < sizeof(header) || nr > ring->size)
		return ring_throw_away(ring);
	ring_copy(ring, &header, ring->tail, sizeof(header));
	/* Record sizes are multiples of 8, so records can be read in place. */
	if (header.size < sizeof(header) || header.size > nr || header.size % 8 || place % 8)
		return ring_throw_away(ring);
	if (place + header.size <= ring->size)
		return (const struct perf_event_header *)(ring->data + place);
	ring_copy(ring, scratch, ring->tail, header.size);
	return scratch;
}

void perf_ring_pop(struct perf_ring *ring)
{
	struct perf_event_header header;

	ring_copy(ring, &header, ring->tail, sizeof(header));
	ring->tail += header.size;
}

void perf_ring_end(struct perf_ring *ring)
{
	ring->used = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->page->data_tail;
	/*
	 * Pairs with the kernel's read of data_tail: the kernel may overwrite the records only after we have read them.
	 */
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
