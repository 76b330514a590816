/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Stacks as they were drained, by the id of their content. A stack is stored again in each generation in which
 * it is met, so one that has not come again in the last two drains cannot be asked for any more.
 */
#ifndef TPROF_STACKS_H
#define TPROF_STACKS_H

#include <stdint.h>

#include "tprof/object.h"

struct stacks;

struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);

/*
 * An address of 0 ends a stack: a walk by frame pointers may take one along from where the stack begins. Errors:
 * ENOMEM.
 */
int stacks_add(struct stacks *stacks, uint64_t id, const struct tprof_stack *stack);
/* NULL if it is not known (any more), or the id is one of no stack. Frames stand from the leaf to the root. */
const struct tprof_stack *stacks_find(const struct stacks *stacks, uint64_t id);
/*
 * Where the frame @index of it is, for naming it. The first is where the stack stopped; all others are where calls
 * return to, behind the call, where another function may begin, so it is the byte before. 0 for what cannot be: an
 * address of the kernel that a walk found on the stack of a program.
 */
uint64_t stacks_address(const struct tprof_stack *stack, uint32_t index);
/* What to show in place of a stack that stacks_find() does not know: "[stack table full]", ... */
const char *stacks_mark(uint64_t id);
/* Everything was drained: forget what has not come again. */
void stacks_age(struct stacks *stacks);

#endif
