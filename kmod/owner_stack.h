/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stack of owners: that of a work item, and those of sections in it, with the innermost at the top.
 *
 * A stack is written by its own context only: a frame first, and then the depth, so an interrupt or NMI of that context
 * finds complete frames. Another CPU that reads the stack compares the number of changes before and after: a frame is
 * overwritten only after a change that removes it.
 */
#ifndef _TPROF_OWNER_STACK_H
#define _TPROF_OWNER_STACK_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>

#include "uapi/tprof_owner.h"

/* A work item and three sections in each other. In deeper sections, the owner is not known. */
#define TPROF_OWNER_DEPTH 4U

enum tprof_owner_level { TPROF_LEVEL_TASK, TPROF_LEVEL_SOFTIRQ, TPROF_LEVEL_HARDIRQ };

struct tprof_owner_frame {
	struct tprof_work_owner owner;
	const void *work;			/* the work item; NULL: a section */
	enum tprof_owner_level level;		/* on a real-time kernel, a thread runs soft interrupts in between */
};

struct tprof_owner_stack {
	unsigned int changes;
	unsigned int depth;			/* of sections, also those without a frame */
	struct tprof_owner_frame frames[TPROF_OWNER_DEPTH];
};

static inline void tprof_owner_stack_push(struct tprof_owner_stack *stack, const void *work,
					  const struct tprof_work_owner *owner, enum tprof_owner_level level)
{
	unsigned int depth = stack->depth;

	WRITE_ONCE(stack->changes, stack->changes + 1);
	/* These barriers pair with those of tprof_owner_stack_read() and tprof_owner_of_task(). */
	smp_wmb();
	if (depth < TPROF_OWNER_DEPTH) {
		stack->frames[depth].owner = *owner;
		stack->frames[depth].work = work;
		stack->frames[depth].level = level;
	}
	smp_wmb();
	WRITE_ONCE(stack->depth, depth + 1);
}

static inline void tprof_owner_stack_cut(struct tprof_owner_stack *stack, unsigned int depth)
{
	WRITE_ONCE(stack->changes, stack->changes + 1);
	smp_wmb();
	WRITE_ONCE(stack->depth, depth);
}

/* Reads the owner at the top. Returns false if there is none of that level, or it is not known. */
static inline bool tprof_owner_stack_read(const struct tprof_owner_stack *stack, enum tprof_owner_level level,
					  struct tprof_work_owner *owner)
{
	unsigned int depth = READ_ONCE(stack->depth);
	const struct tprof_owner_frame *frame;

	if (!depth || depth > TPROF_OWNER_DEPTH)
		return false;
	smp_rmb();
	frame = &stack->frames[depth - 1];
	if (data_race(frame->level) != level)
		return false;
	data_race(*owner = frame->owner);
	return true;
}

#endif
