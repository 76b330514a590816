/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The ring of one CPU's stream (include/uapi/tprof_device.h), walked. Works on memory alone: whatever stands in it,
 * nothing outside of it is read.
 */
#ifndef TPROF_STREAM_RING_H
#define TPROF_STREAM_RING_H

#include <stdint.h>

#include "uapi/tprof_device.h"

struct stream_ring {
	const unsigned char *data;	/* aligned to 8 bytes */
	uint32_t bytes;			/* a power of two */
	uint64_t head;			/* where the records end that may be read */
	uint64_t tail;			/* where the next one starts */
};

/*
 * Lets the records up to @head be read. -EPROTO if it cannot be a position of this ring's writer; then
 * there is nothing to read up to there.
 */
int stream_ring_advance(struct stream_ring *ring, uint64_t head);

/*
 * Sets *@sample to the next one, NULL if there is none; records of other types are skipped. It is the same one until
 * stream_ring_take(). -EPROTO if what comes next is no record; then all up to the head is skipped.
 */
int stream_ring_peek(struct stream_ring *ring, const struct tprof_sample **sample);

/* Goes on behind the sample that was peeked at. */
void stream_ring_take(struct stream_ring *ring);

#endif
