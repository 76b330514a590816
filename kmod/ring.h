/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic of a stream's ring buffer. Positions count bytes and never wrap; the size is a power of two. Pure, so that
 * it can be tested in user space.
 */
#ifndef _TPROF_RING_H
#define _TPROF_RING_H

#include "uapi/tprof_device.h"

/* Bytes used in the ring. The reader may have stored any value in @tail; the ring is full if it is out of range. */
static inline __u64 ring_used(__u64 head, __u64 tail, __u32 size)
{
	__u64 used = head - tail;

	return used > size ? size : used;
}

/* Bytes to skip so that a record of that length does not wrap. */
static inline __u32 ring_skip(__u64 head, __u32 length, __u32 size)
{
	__u32 left = size - (__u32)(head & (size - 1));

	return length > left ? left : 0;
}

/* Tests whether a record of that length fits, including the bytes to skip before it. */
static inline int ring_has_space(__u64 head, __u64 tail, __u32 length, __u32 size)
{
	return ring_used(head, tail, size) + ring_skip(head, length, size) + length <= size;
}

#endif
