/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks on the perf engine. bpf_get_stack() walks them, leaf first, up to the limit of the administrator (sysctl
 * kernel.perf_event_max_stack, 127 by default). A deeper user stack is walked again here, by frame pointers and to the
 * root, so that both ends are kept, as in the module (kmod/frames.h). Not for filter authors.
 */
#ifndef __TPROF_WALK_PERF_BPF_H
#define __TPROF_WALK_PERF_BPF_H

#include <tprof/engine_perf.bpf.h>

/* Most frames of a walk, to limit the time with interrupts disabled. */
#define TPROF_PERF_WALK_MAX	8192

/* Each TPROF_STACKS defines one such map. */
struct tprof_scratch_map {
	__uint(type, TPROF_MAP_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tprof_deep_stack);
};
extern struct tprof_scratch_map tprof_scratch SEC(".maps");

static __always_inline struct tprof_deep_stack *tprof_scratch_stack(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tprof_scratch, &zero);
}

/* @index is always within the stack; the mask shows this to the verifier. */
static __always_inline __u64 *tprof_frame_at(struct tprof_deep_stack *stack, __u32 index)
{
	return &stack->ip[index & TPROF_STACK_MAX_FRAMES];
}

static __always_inline __u32 tprof_leaf_frames(void)
{
	return tprof_object.stack_frames / 2;
}

/* Reads a user-mode register that was saved at kernel entry, by this interrupt or an earlier entry. */
static __always_inline __u64 tprof_user_register(__u32 index)
{
	const __u64 *regs = (const __u64 *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), regs + index);
	return value;
}

/* Returns 0 for a 32-bit program, which has another frame layout. */
static __always_inline __u64 tprof_user_frame_pointer(void)
{
	if (tprof_object.machine == TPROF_MACHINE_AARCH64)
		return tprof_user_register(TPROF_AARCH64_PSTATE) & TPROF_AARCH64_PSTATE_MODE ? 0 :
		       tprof_user_register(TPROF_AARCH64_FP);
	return tprof_user_register(TPROF_X86_64_CS) == TPROF_X86_64_CS_32 ? 0 :
	       tprof_user_register(TPROF_X86_64_FP);
}

struct tprof_perf_walk {
	__u64 fp;
	__u32 nr;	/* frames walked so far */
};

/*
 * Walks one frame. Frames beyond the capacity overwrite each other in a ring after the mark, so that the last ones
 * stay. The frame number is derived from @index, whose value the verifier does not track; it would verify each step of
 * a counter that is incremented.
 */
static long tprof_perf_step(__u32 index, void *ctx)
{
	struct tprof_perf_walk *walk = ctx;
	struct tprof_deep_stack *stack = tprof_scratch_stack();
	__u32 room = tprof_object.stack_frames, first = tprof_leaf_frames() + 1;
	__u32 slot = index + 1;
	__u64 record[2];	/* the caller's frame pointer, the return address */

	if (!stack || !walk->fp || walk->fp & 7 ||
	    bpf_probe_read_user(record, sizeof(record), (const void *)walk->fp))
		return 1;
	/* Strip the pointer authentication code of arm64. User addresses of x86 have none of these bits set. */
	record[1] &= 0x0000ffffffffffffULL;
	if (!record[1])
		return 1;
	if (slot >= room)
		slot = first + (slot - first) % (room - first);
	*tprof_frame_at(stack, slot) = record[1];
	walk->nr = index + 2;
	if (record[0] <= walk->fp)
		return 1;
	walk->fp = record[0];
	return 0;
}

struct tprof_perf_reversal {
	__u32 from, to;
};

static long tprof_perf_swap(__u32 index, void *ctx)
{
	struct tprof_perf_reversal *reversal = ctx;
	struct tprof_deep_stack *stack = tprof_scratch_stack();
	__u32 from = reversal->from + index, to = reversal->to - 1 - index;
	__u64 ip;

	if (!stack || from >= to)
		return 1;
	ip = *tprof_frame_at(stack, from);
	*tprof_frame_at(stack, from) = *tprof_frame_at(stack, to);
	*tprof_frame_at(stack, to) = ip;
	return 0;
}

static __always_inline void tprof_perf_reverse(__u32 from, __u32 to)
{
	struct tprof_perf_reversal reversal = { from, to };

	bpf_loop(TPROF_STACK_MAX_FRAMES / 2, tprof_perf_swap, &reversal, 0);
}

/* Walks from the caller of the first frame, which is already in @stack. Returns the number of frames, with marks. */
static __always_inline __u32 tprof_perf_walk_deep(struct tprof_deep_stack *stack)
{
	struct tprof_perf_walk walk = { .fp = tprof_user_frame_pointer(), .nr = 1 };
	__u32 room = tprof_object.stack_frames, mark = tprof_leaf_frames(), oldest;

	bpf_loop(TPROF_PERF_WALK_MAX - 1, tprof_perf_step, &walk, 0);
	if (walk.nr <= room)
		return walk.nr;
	oldest = mark + 1 + (walk.nr - (mark + 1)) % (room - (mark + 1));
	tprof_perf_reverse(mark + 1, oldest);
	tprof_perf_reverse(oldest, room);
	tprof_perf_reverse(mark + 1, room);
	*tprof_frame_at(stack, mark) = TPROF_FRAME_CUT;
	if (walk.nr == TPROF_PERF_WALK_MAX)
		*tprof_frame_at(stack, room - 1) = TPROF_FRAME_CUT;
	return room;
}

struct tprof_perf_move {
	__u32 from, to;
};

static long tprof_perf_move(__u32 index, void *ctx)
{
	const struct tprof_perf_move *move = ctx;
	struct tprof_deep_stack *stack = tprof_scratch_stack();

	if (!stack)
		return 1;
	*tprof_frame_at(stack, move->to + index) = *tprof_frame_at(stack, move->from + index);
	return 0;
}

/* Shortens a complete stack that is deeper than the capacity to its two ends. */
static __always_inline __u32 tprof_perf_shorten(struct tprof_deep_stack *stack, __u32 nr)
{
	__u32 room = tprof_object.stack_frames, mark = tprof_leaf_frames();
	struct tprof_perf_move move = { .from = nr - room + mark + 1, .to = mark + 1 };

	bpf_loop(room - (mark + 1), tprof_perf_move, &move, 0);
	*tprof_frame_at(stack, mark) = TPROF_FRAME_CUT;
	return room;
}

/* Walks the call stack of a sample. Returns the number of frames, with marks; 0 if it cannot be walked. */
static __always_inline __u32 tprof_perf_walk(const struct tprof_sample *s, struct tprof_deep_stack *stack, __u32 kind)
{
	const struct tprof_perf_sample *p = (const void *)s;
	/* The size is no larger than needed, because the helper clears the rest of the buffer. */
	long bytes = bpf_get_stack(p->ctx, stack->ip, tprof_object.stack_helper_frames * sizeof(stack->ip[0]),
				   kind == TPROF_STACK_USER ? 1ULL << 8 /* BPF_F_USER_STACK */ : 0);
	__u32 nr = bytes < 0 ? 0 : (__u32)bytes / sizeof(stack->ip[0]);

	if (nr && nr >= tprof_object.stack_helper_frames) {
		/* The stack may be deeper than the helper returned. */
		__u32 deep = kind == TPROF_STACK_USER ? tprof_perf_walk_deep(stack) : 1;

		if (deep > 1)
			return deep;
		*tprof_frame_at(stack, nr++) = TPROF_FRAME_CUT;
	}
	return nr > tprof_object.stack_frames ? tprof_perf_shorten(stack, nr) : nr;
}

#endif
