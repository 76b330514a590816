// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reader of a BPF ring buffer with stack copies. */
#include "copy_ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>

/* Precedes each record: its length with two flags, and a word for the kernel's use. */
struct record_header {
	uint32_t length;
	uint32_t page;
};

static int check(const struct tprof_copy *copy, uint32_t length)
{
	uint32_t data_bytes = length - (uint32_t)offsetof(struct tprof_copy, data);

	if (length < offsetof(struct tprof_copy, data) || copy->start >= copy->end || copy->end > data_bytes)
		return -EPROTO;
	return 1;
}

int copy_ring_peek(struct copy_ring *ring, uint64_t head, const struct tprof_copy **copy, uint64_t *behind)
{
	if (head - ring->tail > ring->size || ring->tail % sizeof(struct record_header))
		return -EPROTO;
	while (ring->tail < head) {
		const struct record_header *header = (const void *)(ring->data + (ring->tail & (ring->size - 1)));
		/* Pairs with the kernel's release store of the length after the data. */
		uint32_t length = __atomic_load_n(&header->length, __ATOMIC_ACQUIRE);
		uint64_t whole;

		if (length & BPF_RINGBUF_BUSY_BIT)
			return 0;
		whole = sizeof(*header) + ((uint64_t)(length & ~BPF_RINGBUF_DISCARD_BIT) + 7) / 8 * 8;
		if (whole > head - ring->tail)
			return -EPROTO;
		if (!(length & BPF_RINGBUF_DISCARD_BIT)) {
			if (whole > ring->size - (ring->tail & (ring->size - 1)) + ring->again)
				return -EPROTO;
			*copy = (const void *)(header + 1);
			*behind = ring->tail + whole;
			return check(*copy, length);
		}
		ring->tail += whole;
	}
	return 0;
}
