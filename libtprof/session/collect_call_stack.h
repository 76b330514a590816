/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Call stacks of keys: the kernel frames, then the user frames, from the leaf to the root.
 *
 * If the key has the state of a wait, a frame with it is the leaf (wait_reason.h).
 *
 * If the key has wakers, each one stands above the leaf, upside down, as in the off-wake flame graphs of other tools:
 * a frame "--" that separates it, its frames from the leaf to the root, and its name, which is the new leaf.
 *
 * Gaps are shown: if a stack was cut off, was not stored or could not be read, a frame of TPROF_MODE_UNKNOWN says so.
 */
#ifndef TPROF_COLLECT_CALL_STACK_H
#define TPROF_COLLECT_CALL_STACK_H

#include "collect.h"

/* More than the number of different marks. */
#define COLLECT_CALL_STACK_MARKS 13

/* The frame between a thread that waited and its waker. bcc has the same, and flamegraph.pl colours it grey. */
#define COLLECT_WAKER_MARK "--"

struct collect_call_stack {
	const struct tprof_frame **frames;	/* owned by the symbolizer, or marks */
	size_t nr, capacity;
	struct tprof_frame marks[COLLECT_CALL_STACK_MARKS];
	size_t nr_marks;
	struct {
		char text[TPROF_COMM_LEN + 1];
		struct tprof_frame frame;
	} names[TPROF_WAKERS_MAX];		/* of wakers */
	size_t nr_names;
};

/*
 * Makes the call stack of a key with stacks, with at least one frame. Frames are valid until symbolizer_trim(),
 * strings until symbolizer_age(). The collector owns the call stack, which is valid until the next call. NULL: ENOMEM.
 */
const struct collect_call_stack *collect_call_stack(const struct collector_table *t, const void *key);
/* The same for one waker, of the id in a key: its frames from the leaf to the root, then its name. */
const struct collect_call_stack *collect_waker(struct collector *collector, uint64_t id);
void collect_call_stack_free(struct collect_call_stack *call_stack);

#endif
