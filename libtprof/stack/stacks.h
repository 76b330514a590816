/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Stacks as they were drained, by the id of their content. A stack is stored again in each generation in which
 * it is met, so one that has not come again in the last two drains cannot be asked for any more.
 */
#ifndef TPROF_STACKS_H
#define TPROF_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbolize.h"
#include "tprof/object.h"

struct stacks;

/* As struct tprof_stack, but of any depth. */
struct kept_stack {
	uint32_t nr_frames;
	uint32_t flags;			/* TPROF_STACK_* */
	uint64_t ip[];
};

/* Of @flags: unwound from a copy. Addresses are in the code that was running, or in the call. */
#define STACKS_UNWOUND (1U << 31)
/* In an address of such a stack, none of which is so high: the frame was found by a frame pointer. */
#define STACKS_FRAME_POINTER (1ULL << 62)

struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);

/*
 * @stack: a value of a TPROF_STACKS, of that many bytes. An address of 0 ends it: a walk by frame pointers may take one
 * along from where the stack begins. Errors: ENOMEM.
 */
int stacks_add(struct stacks *stacks, uint64_t id, const void *stack, size_t bytes);
/* Both ends of a stack of @nr frames, with TPROF_FRAME_CUT between them, if @max is less. Returns how many are left. */
uint32_t stacks_shorten(__u64 *ip, uint32_t nr, uint32_t max);
/* NULL if it is not known (any more), or the id is one of no stack. Frames stand from the leaf to the root. */
const struct kept_stack *stacks_find(const struct stacks *stacks, uint64_t id);
/*
 * Where the frame @index of it is. 0 for what cannot be: an address of the kernel that a walk found on the stack of a
 * program.
 */
uint64_t stacks_address(const struct kept_stack *stack, uint32_t index);
/* What that address is. The first is where the stack stopped. */
enum frame_kind stacks_frame_kind(const struct kept_stack *stack, uint32_t index);
/* What to show in place of the frame @index if it is no address: "[stack cut off]", ...; NULL if it is one. */
const char *stacks_frame_mark(const struct kept_stack *stack, uint32_t index);
/* A frame that stands for those which cannot be known: no file says where this code is called from. */
#define STACKS_BROKEN (TPROF_FRAME_CUT - 1)
/* What to show in place of a stack that stacks_find() does not know: "[stack table full]", ... */
const char *stacks_mark(uint64_t id);
/* Everything was drained: forget what has not come again. */
void stacks_age(struct stacks *stacks);

#endif
