/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks. A stack is stored once, under the 64-bit id of its content, and a filter counts by the id:
 *
 *	TPROF_STACKS(stacks, 4096);
 *	TPROF_TABLE(calls, tprof_stack_t, 8192);
 *	...
 *	tprof_count(calls, tprof_user_stack(stacks, s), s->weight);
 *
 * Walking costs something (about as much as the rest of a sample for every ten frames), so a stack is walked
 * only when a filter asks for it. User stacks are found by frame pointers: compile what you profile with
 * -fno-omit-frame-pointer.
 *
 * Of a stack that is deeper than asked for (--max-stack, 127 frames if nothing is said) both ends are kept; a frame
 * between them is TPROF_FRAME_CUT. So is the last one where the root could not be reached.
 */
#ifndef __TPROF_STACK_BPF_H
#define __TPROF_STACK_BPF_H

#include <tprof/table.bpf.h>
#include <tprof/engine_kmod.bpf.h>
#include <tprof/engine_perf.bpf.h>
#include <tprof/walk_perf.bpf.h>

/*
 * TPROF_STACKS(name, entries) - a table of stacks
 * @name:    at most 13 characters; one in an object
 * @entries: how many different stacks it holds between two readings, at 1 KiB each, twice (8 bytes a frame)
 */
#define TPROF_STACKS(name, entries)							\
	TPROF_TABLE_OF(name, tprof_stack_t, struct tprof_stack, entries);		\
	struct tprof_scratch_map tprof_scratch SEC(".maps")

/*
 * tprof_user_stack(stacks, s), tprof_kernel_stack(stacks, s) - walk and intern the stack of this sample
 * @stacks: name of the TPROF_STACKS
 * @s:      the sample as the filter got it
 *
 * Returns its id. The ids below TPROF_STACK_ID_MIN stand for no stack, so that a sample can be counted all the same:
 *
 *	0				there is none: a kernel thread has no user stack, user mode no kernel stack
 *	TPROF_STACK_ID_FULL(kind)	the table had no room for it, which is accounted as table_full
 *	TPROF_STACK_ID_UNREAD(kind)	it could not be walked: another task runs by now (module, samples taken in NMI)
 *
 * kind is TPROF_STACK_USER or TPROF_STACK_KERNEL.
 */
#define tprof_user_stack(stacks, s)	\
	tprof_stack_intern(tprof_generation(stacks), s, TPROF_STACK_USER)
#define tprof_kernel_stack(stacks, s)	\
	tprof_stack_intern(tprof_generation(stacks), s, TPROF_STACK_KERNEL)

/* One step of a 64-bit content id: multiply, fold. Strong enough that a million stacks never meet. */
static __always_inline __u64 tprof_stack_mix(__u64 id, __u64 word)
{
	id = (id ^ word) * 0x9e3779b97f4a7c15ULL;
	return id ^ (id >> 29);
}

static __always_inline __u64 tprof_stack_id(const struct tprof_deep_stack *stack, __u64 nr)
{
	__u64 id = tprof_stack_mix(stack->flags, nr);
	const __u64 *ip = stack->ip;
	__u64 i;

	/* The barrier keeps the compiler from asking whether they are equal, which is no bound to the verifier. */
	for (i = 0; i < nr; i++) {
		id = tprof_stack_mix(id, *ip++);
		barrier_var(i);
	}
	return id < TPROF_STACK_ID_MIN ? id + TPROF_STACK_ID_MIN : id;
}

/* How many frames there are. The engine is a constant to the verifier, which does not look at the other branch. */
static __always_inline __u32 tprof_stack_walk(const struct tprof_sample *s, struct tprof_deep_stack *stack, __u32 kind)
{
	if (tprof_object.engine == TPROF_OBJECT_KMOD)
		return tprof_kmod_walk(s, stack->ip, tprof_object.stack_frames, kind);
	return tprof_perf_walk(s, stack, kind);
}

static __always_inline __u64 tprof_stack_intern(struct tprof_generations generation, const struct tprof_sample *s,
						__u32 kind)
{
	struct tprof_deep_stack *stack;
	__u64 id, nr;

	if (kind == TPROF_STACK_USER ? s->flags & TPROF_SAMPLE_KTHREAD : !(s->flags & TPROF_SAMPLE_KERNEL))
		return 0;
	stack = tprof_scratch_stack();
	if (!stack)
		return TPROF_STACK_ID_UNREAD(kind);
	stack->nr_frames = tprof_stack_walk(s, stack, kind);
	/* Out of memory: there the verifier forgets how it came about, and goes through what follows once. */
	nr = *(volatile __u32 *)&stack->nr_frames;
	/* There are never more, which only the verifier does not know. */
	if (!nr || nr > tprof_object.stack_frames)
		return TPROF_STACK_ID_UNREAD(kind);
	stack->flags = kind;
	id = tprof_stack_id(stack, nr);
	return tprof_table_find(generation, &id, stack, s->weight) ? id : TPROF_STACK_ID_FULL(kind);
}

#endif
