/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Stacks that were drained, by the id of their content.
 *
 * A stack is stored again in each generation in which it occurs, so a stack that did not occur in the last two drains
 * is not needed any more; except those of wakers: see stacks_keep().
 */
#ifndef TPROF_STACKS_H
#define TPROF_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbolize.h"
#include "tprof/object.h"

struct stacks;

/* As struct tprof_stack, with any number of frames. */
struct kept_stack {
	uint32_t nr_frames;
	uint32_t flags;			/* TPROF_STACK_* */
	uint64_t ip[];
};

/* A bit of @flags: unwound from a copy. Addresses lie in the code that runs, or in the call instruction. */
#define STACKS_UNWOUND (1U << 31)
/* A bit of an address of such a stack, unused by addresses: the frame was found by a frame pointer. */
#define STACKS_FRAME_POINTER (1ULL << 62)

/* A waker (TPROF_STACK_WAKER): a thread that ended the wait of another one, or an interrupt. */
struct kept_waker {
	uint64_t kernel, user;			/* ids of its stacks; 0: none */
	uint32_t tgid, exec;			/* 0: an interrupt */
	char comm[TPROF_COMM_LEN + 1];
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);

/*
 * @stack: a value of a TPROF_STACKS table, @bytes long. An address of 0 ends it: a frame pointer walk may include one
 * from the bottom of the stack. Errors: ENOMEM.
 */
int stacks_add(struct stacks *stacks, uint64_t id, const void *stack, size_t bytes);
/*
 * Shortens a stack of @nr frames to @max: keeps both ends, with TPROF_FRAME_CUT between them. Returns the number of
 * frames left.
 */
uint32_t stacks_shorten(__u64 *ip, uint32_t nr, uint32_t max);
/*
 * Frames are ordered from the leaf to the root. NULL if the stack is unknown or was dropped, or the id means no stack.
 */
const struct kept_stack *stacks_find(const struct stacks *stacks, uint64_t id);
/* The same for a waker; false if it is unknown or was dropped, or the id means none. */
bool stacks_find_waker(const struct stacks *stacks, uint64_t id, struct kept_waker *waker);
/* The address of frame @index. 0 if it is impossible: a kernel address that a walk found on a user stack. */
uint64_t stacks_address(const struct kept_stack *stack, uint32_t index);
/* The meaning of that address. Frame 0 is where the walk began. */
enum frame_kind stacks_frame_kind(const struct kept_stack *stack, uint32_t index);
/* Text to show for frame @index if it is not an address: "[stack cut off]", "[skid]", ...; NULL if it is one. */
const char *stacks_frame_mark(const struct kept_stack *stack, uint32_t index);
/* A frame in place of callers that are unknown: no unwind information says where this code was called from. */
#define STACKS_BROKEN (TPROF_FRAME_CUT - 1)
/* Text to show for a stack that stacks_find() does not know: "[stack table full]", ... */
const char *stacks_mark(uint64_t id);
/* Call after draining all tables: drops the stacks that did not occur again, down to the number to keep. */
void stacks_age(struct stacks *stacks);
/*
 * At least so many stacks are kept, whatever their age. A waker is stored when it wakes the thread, and is needed when
 * the wait of the last thread of a chain ends, perhaps many drains later.
 */
void stacks_keep(struct stacks *stacks, size_t nr);

#endif
