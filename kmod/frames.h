/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects the frames of a walk, up to a capacity. If the stack is deeper, the leaf's and the root's end are kept, and
 * TPROF_FRAME_CUT stands for the frames between them. NMI-safe. Pure, so that it can be tested in user space.
 */
#ifndef _TPROF_FRAMES_H
#define _TPROF_FRAMES_H

#include "uapi/tprof.h"

/* Most frames of a walk, to limit the time with interrupts disabled. */
#define TPROF_WALK_MAX		8192
/* With less capacity than this only the leaf's end is kept. */
#define TPROF_FRAMES_ENDS_MIN	4

struct tprof_frames {
	__u64 *ip;
	__u32 room;	/* capacity of ip[] */
	__u32 nr;	/* frames walked so far */
};

/* Number of frames kept at the leaf's end. */
static inline __u32 frames_leaf(const struct tprof_frames *frames)
{
	return frames->room < TPROF_FRAMES_ENDS_MIN ? frames->room : frames->room / 2;
}

/* Tests whether another frame can be added. */
static inline int frames_want(const struct tprof_frames *frames)
{
	return frames->nr < frames->room ||
	       (frames->room >= TPROF_FRAMES_ENDS_MIN && frames->nr < TPROF_WALK_MAX);
}

/* Adds a frame; frames_want() must be true. Beyond the capacity, the part of ip[] after the mark is used as a ring. */
static inline void frames_add(struct tprof_frames *frames, __u64 ip)
{
	__u32 slot = frames->nr, first = frames_leaf(frames) + 1;

	if (slot >= frames->room)
		slot = first + (slot - first) % (frames->room - first);
	frames->ip[slot] = ip;
	frames->nr++;
}

static inline void frames_reverse(__u64 *ip, __u32 from, __u32 to)
{
	for (; from + 1 < to; from++, to--) {
		__u64 other = ip[from];

		ip[from] = ip[to - 1];
		ip[to - 1] = other;
	}
}

/* Ends the walk: brings the ring into order. Returns the number of entries in ip[], including TPROF_FRAME_CUT. */
static inline __u32 frames_end(struct tprof_frames *frames)
{
	__u32 mark = frames_leaf(frames), room = frames->room, oldest;

	if (frames->nr <= room)
		return frames->nr;
	oldest = mark + 1 + (frames->nr - (mark + 1)) % (room - (mark + 1));
	frames_reverse(frames->ip, mark + 1, oldest);
	frames_reverse(frames->ip, oldest, room);
	frames_reverse(frames->ip, mark + 1, room);
	frames->ip[mark] = TPROF_FRAME_CUT;
	/* The walk stopped before the root. */
	if (frames->nr == TPROF_WALK_MAX)
		frames->ip[room - 1] = TPROF_FRAME_CUT;
	return room;
}

#endif
