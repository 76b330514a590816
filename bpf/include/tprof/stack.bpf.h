/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks. Each distinct stack is stored once, under the 64-bit id of its content, and a filter counts by the id:
 *
 *	TPROF_STACKS(stacks, 4096);
 *	TPROF_TABLE(calls, tprof_stack_t, 8192);
 *	...
 *	tprof_count(calls, tprof_user_stack(stacks, s), s->weight);
 *
 * Walking ten frames costs about as much as the rest of a sample, so a stack is walked only when a filter asks for it.
 * User stacks are walked by frame pointers: compile the profiled program with -fno-omit-frame-pointer.
 *
 * If a stack is deeper than the capacity (--max-stack, 127 frames by default), the leaf's and the root's end are kept,
 * with a TPROF_FRAME_CUT between them. If the root was not reached, or is too far away to be walked to
 * (TPROF_WALK_LIMIT), the leaf's end is kept and the last frame is TPROF_FRAME_CUT.
 */
#ifndef __TPROF_STACK_BPF_H
#define __TPROF_STACK_BPF_H

#include <tprof/table.bpf.h>
#include <tprof/engine_kmod.bpf.h>
#include <tprof/engine_perf.bpf.h>
#include <tprof/walk_perf.bpf.h>
#include <tprof/wait_stack_perf.bpf.h>

/*
 * TPROF_STACKS(name, entries) - define a table of call stacks; at most one per object
 * @name:    at most 13 characters
 * @entries: number of different stacks between two readings; each takes 8 bytes per frame of capacity (1 KiB by
 *           default), in both generations
 */
#define TPROF_STACKS(name, entries) TPROF_TABLE_OF(name, tprof_stack_t, struct tprof_stack, entries)

/*
 * tprof_user_stack(stacks, s), tprof_kernel_stack(stacks, s) - walk and store the call stack of a sample
 * @stacks: name of the TPROF_STACKS
 * @s:      the sample that was passed to the filter
 *
 * Returns the id of the stack. Ids below TPROF_STACK_ID_MIN stand for no stack; the sample can be counted under them:
 *
 *	0				no stack: a kernel thread has no user stack, user mode has no kernel stack
 *	TPROF_STACK_ID_FULL(kind)	not stored; the ledger says why: table_full, table_busy or no_memory
 *	TPROF_STACK_ID_UNREAD(kind)	not walked, for example because the task is not running any more (module,
 *					samples captured in NMI)
 *
 * kind is TPROF_STACK_USER or TPROF_STACK_KERNEL.
 */
#define tprof_user_stack(stacks, s)	\
	tprof_stack_intern(tprof_generation(stacks), s, TPROF_STACK_USER, tprof_run)
#define tprof_kernel_stack(stacks, s)	\
	tprof_stack_intern(tprof_generation(stacks), s, TPROF_STACK_KERNEL, tprof_run)

/* One step of the 64-bit hash: multiply, fold. Collisions are negligible for a million stacks. */
static __always_inline __u64 tprof_stack_mix(__u64 id, __u64 word)
{
	id = (id ^ word) * 0x9e3779b97f4a7c15ULL;
	return id ^ (id >> 29);
}

static __always_inline __u64 tprof_stack_id(const __u64 *ip, __u32 kind, __u64 nr)
{
	__u64 id = tprof_stack_mix(kind, nr);
	__u64 i;

	/*
	 * The barrier keeps the compiler from turning i < nr into i != nr, which the verifier does not take for a
	 * bound.
	 */
	for (i = 0; i < nr; i++) {
		id = tprof_stack_mix(id, *ip++);
		barrier_var(i);
	}
	return id < TPROF_STACK_ID_MIN ? id + TPROF_STACK_ID_MIN : id;
}

/*
 * The same for the stack of a sample. The verifier checks a global function once. Inlined, it would check each round of
 * the loop for each way that leads to it, which takes longer than the rest of the start.
 */
__weak __noinline __u64 tprof_sample_stack_id(const struct tprof_deep_stack *stack, __u32 kind, __u32 nr)
{
	if (!stack || nr > tprof_object.stack_frames)
		return 0;
	return tprof_stack_id(stack->ip, kind, nr);
}

/* The engine is constant to the compiler or to the verifier, which therefore skips what the other engine needs. */
static __always_inline int tprof_engine(const struct tprof_run *run)
{
	return run ? run->engine : (int)tprof_object.engine;
}

static __always_inline int tprof_is_wait(const struct tprof_run *run)
{
	return tprof_engine(run) == TPROF_OBJECT_WAIT || tprof_engine(run) == TPROF_OBJECT_PART;
}

/*
 * Walks the stack of the current thread, which wakes another one. If an interrupt wakes it, the stack has one frame:
 * those after it may be of what the interrupt has interrupted.
 */
static __always_inline __u32 tprof_wake_walk(const struct tprof_sample *s, struct tprof_scratch *scratch, __u32 kind,
					     const struct tprof_run *run)
{
	__u32 skip = kind == TPROF_STACK_KERNEL ? run->skip & (TPROF_WAKE_FRAMES - 1) : 0;

	if (!(s->flags & (TPROF_SAMPLE_IRQ | TPROF_SAMPLE_SOFTIRQ)))
		return tprof_perf_walk_from(run->ctx, scratch, TPROF_SCRATCH_WAIT, kind, skip);
	/* The place is the byte before the return address. */
	scratch->stack.ip[0] = s->ip + 1;
	return kind == TPROF_STACK_KERNEL;
}

/* Walks the stack of a sample, or finds that of a wait. NULL: there is no space for it. */
static __always_inline struct tprof_deep_stack *tprof_stack_of(const struct tprof_sample *s, __u32 kind,
							       const struct tprof_run *run)
{
	struct tprof_scratch *scratch;

	if (tprof_is_wait(run))
		return tprof_wait_stack(s, kind, tprof_engine(run));
	/* The program of the waker has the space of that at sched_switch, which it never interrupts. */
	scratch = tprof_scratch_of(tprof_engine(run) == TPROF_OBJECT_WAKE ? TPROF_SCRATCH_WAIT : TPROF_SCRATCH_SAMPLE);
	if (!scratch)
		return 0;
	scratch->stack.flags = kind;
	if (tprof_engine(run) == TPROF_OBJECT_KMOD)
		scratch->stack.nr_frames = tprof_kmod_walk(s, scratch->stack.ip, tprof_object.stack_frames, kind);
	else if (tprof_engine(run) == TPROF_OBJECT_WAKE)
		scratch->stack.nr_frames = tprof_wake_walk(s, scratch, kind, run);
	else
		scratch->stack.nr_frames = tprof_perf_walk(((const struct tprof_perf_sample *)s)->ctx, scratch,
							   TPROF_SCRATCH_SAMPLE, kind);
	return &scratch->stack;
}

static __always_inline __u64 tprof_stack_intern(struct tprof_generations generation, const struct tprof_sample *s,
						__u32 kind, const struct tprof_run *run)
{
	struct tprof_deep_stack *stack;
	__u64 id, nr;

	if (kind == TPROF_STACK_USER ? s->flags & TPROF_SAMPLE_KTHREAD : !(s->flags & TPROF_SAMPLE_KERNEL))
		return 0;
	/* The thread that an interrupt has interrupted is not the waker. */
	if (kind == TPROF_STACK_USER && tprof_object.wake_event && s->flags & TPROF_SAMPLE_WAKEUP && !s->tid)
		return 0;
	stack = tprof_stack_of(s, kind, run);
	if (!stack)
		return TPROF_STACK_ID_UNREAD(kind);
	/* Read back from memory: the verifier then drops what it knew of the value, and checks the rest only once. */
	nr = *(volatile __u32 *)&stack->nr_frames;
	/* nr never exceeds stack_frames; the verifier requires the check. */
	if (!nr || nr > tprof_object.stack_frames)
		return TPROF_STACK_ID_UNREAD(kind);
	/*
	 * The stack of a wait is a value of a map, which is smaller than the type. The module refuses global functions.
	 */
	id = tprof_engine(run) == TPROF_OBJECT_PERF || tprof_engine(run) == TPROF_OBJECT_WAKE ?
	     tprof_sample_stack_id(stack, kind, nr) : tprof_stack_id(stack->ip, kind, nr);
	return tprof_table_find(generation, &id, stack, s->weight) ? id : TPROF_STACK_ID_FULL(kind);
}

#endif
