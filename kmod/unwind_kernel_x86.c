// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks kernel call stacks on x86-64 by the unwinder that the kernel was built with, and where that is the ORC unwinder
 * by the steps that were learned from it (steps.h). NMI-safe: no locks, no allocation, no printk().
 */
#include <linux/hardirq.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/irq_regs.h>
#include <asm/unwind.h>

#include "frames.h"
#include "steps.h"
#include "unwind.h"

#ifdef CONFIG_MITIGATION_RETPOLINE
#include <asm/nospec-branch.h>

/* The register with the target of each retpoline thunk, in the order of the thunks in memory. */
static const u8 thunk_targets[] = {
	offsetof(struct pt_regs, ax), offsetof(struct pt_regs, cx), offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, bx), offsetof(struct pt_regs, sp), offsetof(struct pt_regs, bp),
	offsetof(struct pt_regs, si), offsetof(struct pt_regs, di), offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9), offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13), offsetof(struct pt_regs, r14),
	offsetof(struct pt_regs, r15),
};

static unsigned long thunk_of(unsigned long ip)
{
	return (ip - (unsigned long)__x86_indirect_thunk_rax) / RETPOLINE_THUNK_SIZE;
}

/*
 * The unwinder has no data for a retpoline thunk, or takes its target for its caller. If @regs->ip is in a thunk, fills
 * @caller with the registers at the call of the thunk and returns true. The return address is on top of the stack, or
 * the second word if the thunk has put its own return address or its target on top.
 */
static bool leave_thunk(const struct pt_regs *regs, struct pt_regs *caller)
{
	unsigned long thunk = thunk_of(regs->ip), stack[2], target;
	unsigned int at;

	if (likely(thunk >= ARRAY_SIZE(thunk_targets)) ||
	    copy_from_kernel_nofault(stack, (void *)regs->sp, sizeof(stack)))
		return false;
	target = *(const unsigned long *)((const char *)regs + thunk_targets[thunk]);
	at = stack[0] == target || thunk_of(stack[0]) == thunk;
	*caller = *regs;
	caller->ip = stack[at];
	caller->sp += (at + 1) * sizeof(stack[0]);
	return true;
}
#else
static bool leave_thunk(const struct pt_regs *regs, struct pt_regs *caller)
{
	return false;
}
#endif

/* Adds the frame that the unwinder has found. Returns false if the walk has to stop. */
static __always_inline bool add_unwound(struct tprof_frames *walk, struct unwind_state *state)
{
	unsigned long ip = unwind_get_return_address(state);

	return ip && frames_add(walk, ip, 0);
}

#ifdef CONFIG_UNWINDER_ORC
/* After so many unknown addresses, the rest of a walk is the unwinder's: looking them up would make it slower. */
#define MAX_UNKNOWN	4

/* A frame on a stack: the address, and the registers of its function at the call. */
struct place {
	unsigned long ip, sp, bp;
	u32 step;			/* of the address */
};

/*
 * Moves to the caller. Returns false if it is not known: the step is not that of a plain call, it leads to another
 * stack, or what is on the stack is not known as a return address. Then the unwinder finds the caller.
 */
static __always_inline bool move_to_caller(struct place *at, unsigned long begin, unsigned long end)
{
	unsigned long cfa, ip, bp_at;
	u32 step = at->step;

	if (step_kind(step) != TPROF_STEP_CALL)
		return false;
	cfa = step_cfa(step, at->sp, at->bp);
	if (unlikely(cfa <= at->sp || cfa > end))
		return false;
	ip = READ_ONCE_NOCHECK(*(unsigned long *)(cfa - sizeof(long)));
	at->step = tprof_steps_find(ip);
	if (unlikely(!(at->step & TPROF_STEP_RETURN)))
		return false;
	if (step & TPROF_STEP_BP_SAVED) {
		bp_at = step_bp_at(step, cfa, at->bp);
		if (unlikely(bp_at < begin || bp_at > end - sizeof(long)))
			return false;
		at->bp = READ_ONCE_NOCHECK(*(unsigned long *)bp_at);
	}
	at->sp = cfa;
	at->ip = ip;
	return true;
}

/* Adds the callers of a frame, as far as their steps are known. Returns false if the walk has to stop. */
static __always_inline bool add_callers(struct tprof_frames *walk, struct place *at, unsigned long begin,
					unsigned long end)
{
	u64 *to = &walk->ip[walk->nr], *full = to + frames_space(walk);
	unsigned int nr;

	while (to < full && move_to_caller(at, begin, end))
		*to++ = at->ip;
	nr = to - walk->ip - walk->nr;
	walk->nr += nr;
	tprof_steps_count_learned(nr);
	while (to == full && move_to_caller(at, begin, end)) {
		if (!frames_add(walk, at->ip, 0))
			return false;
	}
	return true;
}

/*
 * Tests whether this is the frame of the code that user mode has entered: only the registers of user mode are above it,
 * with which the unwinder would end.
 */
static __always_inline bool is_entry(const struct place *at, struct task_struct *task)
{
	return at->sp == (unsigned long)task_pt_regs(task) && user_mode(task_pt_regs(task));
}

/* Adds the frame of @state from its step, and its callers, and moves @state to the last one that was added. */
static __always_inline bool add_known(struct tprof_frames *walk, struct unwind_state *state, u32 step)
{
	struct place at = { .ip = state->ip, .sp = state->sp, .bp = state->bp, .step = step };
	unsigned long begin = (unsigned long)state->stack_info.begin, end = (unsigned long)state->stack_info.end;
	bool more;

	if (!frames_add(walk, at.ip, 0))
		return false;
	/* The return address is on the stack, below the stack pointer. */
	if (unlikely(at.sp < begin + sizeof(long)))
		return true;
	more = add_callers(walk, &at, begin, end) && !is_entry(&at, state->task);
	/* The unwinder can go on from here: after a call, it knows no more than these. */
	state->ip = at.ip;
	state->sp = at.sp;
	state->bp = at.bp;
	return more;
}

/*
 * Adds the frame that the unwinder has found, and its callers as far as their steps are known. Returns false if the
 * walk has to stop.
 * @unknown: number of addresses of this walk that are not in the table
 */
static __always_inline bool add_learned(struct tprof_frames *walk, struct unwind_state *state, unsigned int *unknown)
{
	u32 step;

	if (state->regs || state->signal || *unknown == MAX_UNKNOWN)
		return add_unwound(walk, state);
	step = tprof_steps_find(state->ip);
	if (likely(step & TPROF_STEP_RETURN))
		return add_known(walk, state, step);
	if (!add_unwound(walk, state))
		return false;
	if (step_kind(step) == TPROF_STEP_UNKNOWN) {
		tprof_steps_miss(state->ip);
		++*unknown;
	}
	return true;
}
#else
static __always_inline bool add_learned(struct tprof_frames *walk, struct unwind_state *state, unsigned int *unknown)
{
	return add_unwound(walk, state);
}
#endif

/*
 * Begins a walk, and adds the frames that the unwinder does not give. Returns false if the walk has to stop.
 * @regs: NULL: from where the task has left the CPU
 */
static bool walk_start(struct tprof_frames *walk, struct unwind_state *state, struct pt_regs *regs, u64 leaf,
		       struct task_struct *task)
{
	struct pt_regs caller;

	if (!regs) {
		unwind_start(state, task, NULL, NULL);
		return true;
	}
	if (!frames_add_leaf(walk, regs->ip, leaf))
		return false;
	if (!(regs->flags & X86_EFLAGS_FIXED)) {
		/* From perf_fetch_caller_regs(), ip and sp only: walk from here, and skip the frames below sp. */
		unwind_start(state, task, NULL, (void *)regs->sp);
		return true;
	}
	/* Complete registers of an interrupt. The unwinder starts with the caller, so add the leaf here. */
	if (!frames_add(walk, regs->ip, 0))
		return false;
	if (leave_thunk(regs, &caller)) {
		if (!frames_add(walk, caller.ip, 0))
			return false;
		/* The address of the call: the next instruction may belong to another function. */
		caller.ip--;
		regs = &caller;
	}
	unwind_start(state, task, regs, NULL);
	return true;
}

/* Walks the stack once. @use_steps is a constant. */
static __always_inline void walk_once(struct tprof_frames *walk, struct pt_regs *regs, u64 leaf,
				      struct task_struct *task, bool use_steps)
{
	struct unwind_state state;
	unsigned int unknown = 0;

	if (!walk_start(walk, &state, regs, leaf, task))
		return;
	/* The frame of user mode, from which the kernel was entered, is not part of the stack. */
	for (; !unwind_done(&state) && !(state.regs && user_mode(state.regs)); unwind_next_frame(&state)) {
		if (!(use_steps ? add_learned(walk, &state, &unknown) : add_unwound(walk, &state)))
			return;
	}
}

static noinline unsigned int walk_by_unwinder(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
					      unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .capacity = max };

	do {
		walk_once(&walk, regs, leaf, task, false);
	} while (frames_again(&walk));
	return frames_end(&walk);
}

#ifdef CONFIG_UNWINDER_ORC
static noinline unsigned int walk_by_steps(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
					   unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .capacity = max };

	do {
		walk_once(&walk, regs, leaf, task, true);
	} while (frames_again(&walk));
	tprof_steps_count_walk(walk.nr);
	return frames_end(&walk);
}

/* Walks the stack both ways, and compares. The result is that of the unwinder. */
static noinline unsigned int walk_checked(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
					  unsigned int max)
{
	unsigned int capacity = min(max, TPROF_UNWIND_MAX), nr_learned, nr;
	u64 *learned = tprof_steps_check_begin();

	if (!learned)
		return walk_by_unwinder(regs, leaf, task, frames, max);
	nr_learned = walk_by_steps(regs, leaf, task, learned, capacity);
	nr = walk_by_unwinder(regs, leaf, task, frames, capacity);
	tprof_steps_check_end(nr_learned, frames, nr);
	return capacity == max ? nr : walk_by_unwinder(regs, leaf, task, frames, max);
}

static __always_inline unsigned int walk(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
					 unsigned int max)
{
	if (!READ_ONCE(tprof_steps_on) || (regs && task != current))
		return walk_by_unwinder(regs, leaf, task, frames, max);
	if (unlikely(tprof_steps_check_due()))
		return walk_checked(regs, leaf, task, frames, max);
	return walk_by_steps(regs, leaf, task, frames, max);
}
#else
static __always_inline unsigned int walk(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
					 unsigned int max)
{
	return walk_by_unwinder(regs, leaf, task, frames, max);
}
#endif

unsigned int tprof_unwind_kernel(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
				 unsigned int max)
{
	struct tprof_frames alone = { .ip = frames, .capacity = max };

	if (likely(!user_mode(regs)))
		return walk(regs, leaf, task, frames, max);
	alone.cut = frames_add(&alone, leaf, 0);
	return frames_end(&alone);
}

unsigned int tprof_unwind_waiting(struct task_struct *task, bool stays, u64 *frames, unsigned int max)
{
	/* Two walks of a stack that changes would differ. */
	return stays ? walk(NULL, 0, task, frames, max) : walk_by_unwinder(NULL, 0, task, frames, max);
}

/*
 * The kernel keeps the registers of interrupts (get_irq_regs()), but not those of an NMI. The unwinder finds them: the
 * first saved registers above this code.
 */
static struct pt_regs *nmi_regs(void)
{
	struct unwind_state state;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state); unwind_next_frame(&state)) {
		bool partial;
		struct pt_regs *regs = unwind_get_entry_regs(&state, &partial);

		if (regs)
			return partial ? NULL : regs;
	}
	return NULL;
}

struct pt_regs *tprof_unwind_interrupted(void)
{
	return in_nmi() ? nmi_regs() : get_irq_regs();
}
