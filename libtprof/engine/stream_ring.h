/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Reader of the ring of one CPU's stream (include/uapi/tprof_device.h). Works on memory alone and never reads outside
 * of it, whatever its content.
 */
#ifndef TPROF_STREAM_RING_H
#define TPROF_STREAM_RING_H

#include <stdint.h>

#include "uapi/tprof_device.h"

struct stream_ring {
	const unsigned char *data;	/* aligned to 8 bytes */
	uint32_t bytes;			/* a power of two */
	uint64_t head;			/* end of the records that may be read */
	uint64_t tail;			/* start of the next record */
};

/*
 * Sets the head. -EPROTO if @head is not a valid position of this ring's writer; then the records up to it cannot be
 * read.
 */
int stream_ring_advance(struct stream_ring *ring, uint64_t head);

/*
 * Sets *@sample to the next sample, NULL if there is none; skips records of other types. Returns the same sample until
 * stream_ring_take(). -EPROTO if the next record is invalid; then everything up to the head is skipped.
 */
int stream_ring_peek(struct stream_ring *ring, const struct tprof_sample **sample);

/* Consumes the sample returned by stream_ring_peek(). */
void stream_ring_take(struct stream_ring *ring);

#endif
