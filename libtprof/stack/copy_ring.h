/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Reader of a BPF_MAP_TYPE_RINGBUF with stack copies. The first bytes of the data are mapped again behind its end, so
 * each record is contiguous.
 *
 * libbpf's reader consumes each record that it shows; here a copy must stay in the ring if it is later than the process
 * events read so far. Pure: testable with memory of any kind.
 */
#ifndef TPROF_COPY_RING_H
#define TPROF_COPY_RING_H

#include <stdint.h>

#include "tprof/object.h"

struct copy_ring {
	const unsigned char *data;	/* size bytes, followed by the first @again of them */
	uint64_t size;			/* a power of two */
	uint64_t again;			/* at least as long as the longest record */
	uint64_t tail;			/* read position; counts bytes, never wraps */
};

/*
 * Returns the next copy in @copy and the position behind it, the next tail, in @behind. @head is the kernel's write
 * position. Discarded records are skipped. Returns 1, 0 if there is none yet, or -EPROTO if the ring is corrupt and
 * cannot be read.
 */
int copy_ring_peek(struct copy_ring *ring, uint64_t head, const struct tprof_copy **copy, uint64_t *behind);

#endif
