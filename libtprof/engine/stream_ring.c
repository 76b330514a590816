// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reader of the ring of one CPU's stream. */
#include "stream_ring.h"

#include <errno.h>
#include <stddef.h>

static const struct tprof_record *record_at_tail(const struct stream_ring *ring)
{
	return (const struct tprof_record *)(ring->data + (ring->tail & (ring->bytes - 1)));
}

/* Checks that there is a whole record which ends within the ring. */
static int check_record(const struct stream_ring *ring)
{
	uint64_t written = ring->head - ring->tail;
	uint32_t left = ring->bytes - (uint32_t)(ring->tail & (ring->bytes - 1));
	const struct tprof_record *record = record_at_tail(ring);

	if (written < sizeof(*record) || left < sizeof(*record))
		return -EPROTO;
	if (record->size < sizeof(*record) || record->size % 8 || record->size > written || record->size > left)
		return -EPROTO;
	return 0;
}

int stream_ring_advance(struct stream_ring *ring, uint64_t head)
{
	ring->head = head;
	if (head - ring->tail <= ring->bytes && head % 8 == 0 && ring->tail % 8 == 0)
		return 0;
	ring->tail = head;
	return -EPROTO;
}

int stream_ring_peek(struct stream_ring *ring, const struct tprof_sample **sample)
{
	*sample = NULL;
	while (ring->tail != ring->head) {
		const struct tprof_record *record = record_at_tail(ring);

		if (check_record(ring)) {
			ring->tail = ring->head;
			return -EPROTO;
		}
		if (record->type == TPROF_RECORD_SAMPLE && record->size >= sizeof(*record) + sizeof(**sample)) {
			*sample = (const struct tprof_sample *)(record + 1);
			return 0;
		}
		ring->tail += record->size;
	}
	return 0;
}

void stream_ring_take(struct stream_ring *ring)
{
	ring->tail += record_at_tail(ring)->size;
}
