/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Copies of stacks in a ring of the kernel (BPF_MAP_TYPE_RINGBUF), of which the data is mapped twice in a row, so that
 * no record is torn. Not read with libbpf, which takes what it has shown: a copy that is younger than what is known of
 * the processes has to stay. Pure: testable with memory of any kind.
 */
#ifndef TPROF_COPY_RING_H
#define TPROF_COPY_RING_H

#include <stdint.h>

#include "tprof/object.h"

struct copy_ring {
	const unsigned char *data;	/* size bytes, and the same again */
	uint64_t size;			/* a power of two */
	uint64_t tail;			/* what has been read; counts bytes, and never wraps */
};

/*
 * The next copy, with the position behind it, which is to become the tail; @head is the kernel's. Copies that were
 * given up are skipped. Returns 1, 0 where there is none (yet), or -EPROTO where the ring makes no sense: nothing of it
 * can be read then.
 */
int copy_ring_peek(struct copy_ring *ring, uint64_t head, const struct tprof_copy **copy, uint64_t *behind);

#endif
