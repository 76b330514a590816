/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects the frames of a walk, up to a capacity, and limits its work. NMI-safe. Pure, so that it can be tested in
 * user space.
 *
 * The capacity is filled in any case. If the stack is deeper, the walk continues to the root only while that is cheap:
 * a hostile program could otherwise hold off interrupts with a deep stack. Then both ends of the stack are kept, and
 * TPROF_FRAME_CUT stands for the frames between them. Otherwise the leaf's end is kept, and TPROF_FRAME_CUT is last.
 *
 *	do {
 *		walk, with frames_add() for each frame until it returns 0
 *	} while (frames_again(&frames));
 *	return frames_end(&frames);
 */
#ifndef _TPROF_FRAMES_H
#define _TPROF_FRAMES_H

#include "uapi/tprof.h"

/* With less capacity than this only the leaf's end is kept, without a mark. */
#define TPROF_FRAMES_ENDS_MIN	4

struct tprof_frames {
	__u64 *ip;
	__u32 capacity;	/* of ip[] */
	__u32 nr;	/* frames walked so far */
	__u32 nr_pages;	/* pages with their frame records */
	__u64 page;	/* address / TPROF_WALK_PAGE of the last frame record */
	__u8 cut;	/* the walk stopped although there was another frame; also set by the caller of frames_add() */
	__u8 leaf_only;	/* second walk: the root is too far away */
};

/* Number of frames kept at the leaf's end if both ends are kept. */
static inline __u32 frames_leaf(const struct tprof_frames *frames)
{
	return frames->capacity / 2;
}

/* Adds a frame beyond the capacity, if the walk may continue: the part of ip[] after the mark is used as a ring. */
static inline int frames_add_beyond(struct tprof_frames *frames, __u64 ip)
{
	__u32 first = frames_leaf(frames) + 1;
	__u32 work = frames->nr + 1 + frames->nr_pages * (TPROF_WALK_PAGE_WORK - 1);

	if (frames->leaf_only || frames->capacity < TPROF_FRAMES_ENDS_MIN ||
	    work > TPROF_WALK_LIMIT(frames->capacity)) {
		frames->cut = 1;
		return 0;
	}
	frames->ip[first + (frames->nr - first) % (frames->capacity - first)] = ip;
	frames->nr++;
	return 1;
}

/*
 * Adds a frame. Returns 0 if the walk has to stop.
 * @record: address of the frame record; 0: the frame is not from a record in memory
 */
static inline int frames_add(struct tprof_frames *frames, __u64 ip, __u64 record)
{
	__u64 page = record / TPROF_WALK_PAGE;

	if (page != frames->page) {
		frames->page = page;
		frames->nr_pages++;
	}
	if (frames->nr >= frames->capacity - frames->leaf_only)
		return frames_add_beyond(frames, ip);
	frames->ip[frames->nr++] = ip;
	return 1;
}

/* Adds the address of the sample, unless the walk begins with it (@ip). Returns 0 if the walk has to stop. */
static inline int frames_add_leaf(struct tprof_frames *frames, __u64 ip, __u64 leaf)
{
	return leaf == ip || (frames_add(frames, leaf, 0) && frames_add(frames, TPROF_FRAME_SKID, 0));
}

/* Returns how many frames that are not from records frames_add() adds without looking at the work. */
static inline __u32 frames_space(const struct tprof_frames *frames)
{
	__u32 space = frames->capacity - frames->leaf_only;

	return frames->nr < space ? space - frames->nr : 0;
}

/*
 * Tests whether the stack has to be walked once more, from the leaf: the root was not reached, and frames of the leaf's
 * end were overwritten.
 */
static inline int frames_again(struct tprof_frames *frames)
{
	if (!frames->cut || frames->nr <= frames->capacity)
		return 0;
	frames->nr = 0;
	frames->leaf_only = 1;
	return 1;
}

static inline void frames_reverse(__u64 *ip, __u32 from, __u32 to)
{
	for (; from + 1 < to; from++, to--) {
		__u64 other = ip[from];

		ip[from] = ip[to - 1];
		ip[to - 1] = other;
	}
}

/* Brings the ring into order, after the mark. */
static inline void frames_join_ends(struct tprof_frames *frames)
{
	__u32 mark = frames_leaf(frames), capacity = frames->capacity, oldest;

	oldest = mark + 1 + (frames->nr - (mark + 1)) % (capacity - (mark + 1));
	frames_reverse(frames->ip, mark + 1, oldest);
	frames_reverse(frames->ip, oldest, capacity);
	frames_reverse(frames->ip, mark + 1, capacity);
	frames->ip[mark] = TPROF_FRAME_CUT;
}

/* Ends the walk. Returns the number of entries in ip[], including TPROF_FRAME_CUT. */
static inline __u32 frames_end(struct tprof_frames *frames)
{
	if (frames->nr > frames->capacity) {
		frames_join_ends(frames);
		return frames->capacity;
	}
	if (!frames->cut || frames->capacity < TPROF_FRAMES_ENDS_MIN)
		return frames->nr;
	/* The walk stopped before the root. */
	if (frames->nr == frames->capacity)
		frames->nr--;
	frames->ip[frames->nr++] = TPROF_FRAME_CUT;
	return frames->nr;
}

#endif
