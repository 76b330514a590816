/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frames of a walk, as many as there is room for. Of a stack that is deeper, both ends are kept and the middle is
 * left out, where TPROF_FRAME_CUT stands: the root says what it was all for, the leaf where it is. On the NMI path.
 * Pure, so that it can be tested in user space.
 */
#ifndef _TPROF_FRAMES_H
#define _TPROF_FRAMES_H

#include "uapi/tprof.h"

/* A walk that is not at its end by then is given up: it takes time with interrupts off. */
#define TPROF_WALK_MAX		8192
/* With less room than this there is no place for both ends. */
#define TPROF_FRAMES_ENDS_MIN	4

struct tprof_frames {
	__u64 *ip;
	__u32 room;
	__u32 nr;	/* met so far */
};

/* How many frames are kept of the leaf's end. */
static inline __u32 frames_leaf(const struct tprof_frames *frames)
{
	return frames->room < TPROF_FRAMES_ENDS_MIN ? frames->room : frames->room / 2;
}

/* Is it worth while to go on? */
static inline int frames_want(const struct tprof_frames *frames)
{
	return frames->nr < frames->room ||
	       (frames->room >= TPROF_FRAMES_ENDS_MIN && frames->nr < TPROF_WALK_MAX);
}

/* While frames_want(). Of the root's end as many are kept as go behind the mark, the last of them in a ring. */
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

/* No more will come. Brings the ring into order; returns how many are there, with the marks. */
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
	/* Where it was given up is not the root. */
	if (frames->nr == TPROF_WALK_MAX)
		frames->ip[room - 1] = TPROF_FRAME_CUT;
	return room;
}

#endif
