/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks on the perf engine. bpf_get_stack() walks them, leaf first, up to the limit of the administrator (sysctl
 * kernel.perf_event_max_stack, 127 by default) or the capacity. A deeper user stack is walked again here, by frame
 * pointers, so that both ends are kept if the root is not far away, as in the module (kmod/frames.h). Not for filter
 * authors.
 */
#ifndef __TPROF_WALK_PERF_BPF_H
#define __TPROF_WALK_PERF_BPF_H

#include <tprof/engine_perf.bpf.h>

/* Capacity of the ring for the root's end of a stack: at least half of the largest capacity, and a power of two. */
#define TPROF_PERF_RING		512

/* State of a walk. In a map, because the verifier would check each step of a counter on the stack. */
struct tprof_perf_walk {
	__u64 fp;
	__u64 page;	/* address / TPROF_WALK_PAGE of the last frame record */
	__u32 nr;	/* frames walked so far */
	__u32 work;	/* cost of the walk so far, see TPROF_WALK_LIMIT */
	__u32 cut;	/* the walk stopped although there was another frame */
};

struct tprof_scratch {
	struct tprof_deep_stack stack;	/* first member */
	__u64 ring[TPROF_PERF_RING];	/* the last frames that do not fit into @stack */
	struct tprof_perf_walk walk;
};

/*
 * The scratch spaces of a CPU, by their use. Samples may be taken in an NMI that interrupts the program of a wait, and
 * that one interrupts the program that counts waits in progress. The loader makes all of them if the session has the
 * event off-cpu, else the first; and the map only if the filter uses stacks.
 */
enum tprof_scratch_use {
	TPROF_SCRATCH_SAMPLE,
	TPROF_SCRATCH_WAIT,
	TPROF_SCRATCH_PART_KERN,
	TPROF_SCRATCH_PART_USER,
};

struct {
	__uint(type, TPROF_MAP_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tprof_scratch);
} tprof_scratch SEC(".maps");

static __always_inline struct tprof_scratch *tprof_scratch_of(__u32 use)
{
	return bpf_map_lookup_elem(&tprof_scratch, &use);
}

/* Returns the place of a frame. The masks show the verifier that it is within the scratch space. */
static __always_inline __u64 *tprof_frame_at(struct tprof_scratch *scratch, __u32 index)
{
	if (index > TPROF_STACK_MAX_FRAMES)
		return &scratch->ring[index & (TPROF_PERF_RING - 1)];
	return &scratch->stack.ip[index & TPROF_STACK_MAX_FRAMES];
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

/* Counts the work of reading the record. Returns 0 if the walk has to stop. */
static __always_inline int tprof_perf_want(struct tprof_perf_walk *walk)
{
	__u64 page = walk->fp / TPROF_WALK_PAGE;

	walk->work += page == walk->page ? 1 : TPROF_WALK_PAGE_WORK;
	walk->page = page;
	return walk->nr < tprof_object.stack_frames || walk->work <= TPROF_WALK_LIMIT(tprof_object.stack_frames);
}

/* Walks one frame: bpf_loop() calls it again until it returns 1. @ctx: enum tprof_scratch_use */
static long tprof_perf_step(__u32 index, void *ctx)
{
	struct tprof_scratch *scratch = tprof_scratch_of(*(__u32 *)ctx);
	struct tprof_perf_walk *walk;
	__u64 record[2];	/* the caller's frame pointer, the return address */

	if (!scratch)
		return 1;
	walk = &scratch->walk;
	if (!walk->fp || walk->fp & 7 || bpf_probe_read_user(record, sizeof(record), (const void *)walk->fp))
		return 1;
	/* Strip the pointer authentication code of arm64. User addresses of x86 have none of these bits set. */
	record[1] &= 0x0000ffffffffffffULL;
	if (!record[1])
		return 1;
	if (!tprof_perf_want(walk)) {
		walk->cut = 1;
		return 1;
	}
	*tprof_frame_at(scratch, walk->nr++) = record[1];
	if (record[0] <= walk->fp)
		return 1;
	walk->fp = record[0];
	return 0;
}

/* Walks a user stack from the caller of the first frame, which is already in @scratch. */
static __always_inline void tprof_perf_walk_user(struct tprof_scratch *scratch, __u32 use)
{
	struct tprof_perf_walk *walk = &scratch->walk;

	walk->fp = tprof_user_frame_pointer();
	walk->page = 0;
	walk->nr = 1;
	walk->work = 1;
	walk->cut = 0;
	bpf_loop(TPROF_WALK_LIMIT(tprof_object.stack_frames), tprof_perf_step, &use, 0);
}

struct tprof_perf_move {
	__u32 from, to;
	__u32 use;	/* enum tprof_scratch_use */
};

static long tprof_perf_move(__u32 index, void *ctx)
{
	const struct tprof_perf_move *move = ctx;
	struct tprof_scratch *scratch = tprof_scratch_of(move->use);

	if (!scratch)
		return 1;
	*tprof_frame_at(scratch, move->to + index) = *tprof_frame_at(scratch, move->from + index);
	return 0;
}

/* Keeps both ends of a stack of @nr frames that was walked to its root. Returns the number of frames, with the mark. */
static __always_inline __u32 tprof_perf_keep_ends(struct tprof_scratch *scratch, __u32 use, __u32 nr)
{
	__u32 capacity = tprof_object.stack_frames, mark = tprof_leaf_frames();
	struct tprof_perf_move move = { .from = nr - capacity + mark + 1, .to = mark + 1, .use = use };

	if (nr <= capacity)
		return nr;
	bpf_loop(capacity - (mark + 1), tprof_perf_move, &move, 0);
	*tprof_frame_at(scratch, mark) = TPROF_FRAME_CUT;
	return capacity;
}

/* Keeps the leaf's end of a stack whose root was not reached. Returns the number of frames, with the mark. */
static __always_inline __u32 tprof_perf_keep_leaf(struct tprof_scratch *scratch, __u32 nr)
{
	if (nr >= tprof_object.stack_frames)
		nr = tprof_object.stack_frames - 1;
	*tprof_frame_at(scratch, nr) = TPROF_FRAME_CUT;
	return nr + 1;
}

/*
 * Returns the most frames to get from bpf_get_stack(). Kernel stacks are small, so both ends are kept as far as the
 * helper goes; a user stack costs what its program wants, so no more than the capacity is read without counting.
 */
static __always_inline __u32 tprof_perf_helper_frames(__u32 kind)
{
	__u32 capacity = tprof_object.stack_frames;
	__u32 most = kind == TPROF_STACK_USER ? capacity : TPROF_WALK_LIMIT(capacity);

	return most < tprof_object.stack_helper_frames ? most : tprof_object.stack_helper_frames;
}

static __always_inline __u32 tprof_perf_nr_frames(long bytes)
{
	return bytes < 0 ? 0 : (__u32)bytes / sizeof(__u64);
}

/* Walks the kernel stack of a task that does not run. @task: a typed pointer. As tprof_perf_walk() */
static __always_inline __u32 tprof_perf_walk_task(void *task, struct tprof_scratch *scratch, __u32 use)
{
	__u32 most = tprof_perf_helper_frames(TPROF_STACK_KERNEL), nr;

	nr = tprof_perf_nr_frames(bpf_get_task_stack(task, scratch->stack.ip, most * sizeof(scratch->stack.ip[0]), 0));
	return nr < most ? tprof_perf_keep_ends(scratch, use, nr) : tprof_perf_keep_leaf(scratch, nr);
}

/*
 * Walks the call stack of the current task. @ctx: of the program; @skip: leaves out the first frames. Returns the
 * number of frames, with marks; 0 if it cannot be walked.
 */
static __always_inline __u32 tprof_perf_walk_from(void *ctx, struct tprof_scratch *scratch, __u32 use, __u32 kind,
						  __u32 skip)
{
	__u32 most = tprof_perf_helper_frames(kind), nr;
	/* The size is no larger than needed, because the helper clears the rest of the buffer. */
	long bytes = bpf_get_stack(ctx, scratch->stack.ip, most * sizeof(scratch->stack.ip[0]),
				   (kind == TPROF_STACK_USER ? 1ULL << 8 /* BPF_F_USER_STACK */ : 0) | skip);

	nr = tprof_perf_nr_frames(bytes);
	if (!nr || nr < most)
		return tprof_perf_keep_ends(scratch, use, nr);
	/* The stack may be deeper than the helper returned. */
	if (kind == TPROF_STACK_USER) {
		tprof_perf_walk_user(scratch, use);
		if (scratch->walk.nr > 1 && !scratch->walk.cut)
			return tprof_perf_keep_ends(scratch, use, scratch->walk.nr);
		if (scratch->walk.nr > nr)
			nr = scratch->walk.nr;
	}
	return tprof_perf_keep_leaf(scratch, nr);
}

static __always_inline __u32 tprof_perf_walk(void *ctx, struct tprof_scratch *scratch, __u32 use, __u32 kind)
{
	return tprof_perf_walk_from(ctx, scratch, use, kind, 0);
}

/* The byte before a return address is of the call. */
static __always_inline __u64 tprof_call_place(__u64 ip)
{
	return ip ? ip - 1 : TPROF_IP_KERNEL;
}

/* The first frames of a kernel stack that are searched for the function that wakes threads, and more than its size. */
#define TPROF_WAKE_FRAMES	8
#define TPROF_WAKE_BYTES	4096

/*
 * Fills @ip with the first frames of the kernel stack of the current thread, which wakes another one. Returns the index
 * of the caller of the function that wakes threads; 0 if it is not found.
 */
static __always_inline __u32 tprof_wake_find(void *ctx, __u64 ip[TPROF_WAKE_FRAMES])
{
	__u32 first = 0, i;

	if (!tprof_object.wake_start)
		return 0;
	bpf_get_stack(ctx, ip, TPROF_WAKE_FRAMES * sizeof(*ip), 0);
	for (i = TPROF_WAKE_FRAMES; i > 0; i--) {
		if (ip[i - 1] - tprof_object.wake_start < TPROF_WAKE_BYTES)
			first = i;
	}
	return first;
}

#endif
