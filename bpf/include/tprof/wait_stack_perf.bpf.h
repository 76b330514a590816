/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stacks of waiting threads on the perf engine. They are walked when the thread leaves the CPU, because a
 * program cannot read the user stack of another thread, and stored by thread until the wait is over. Not for filter
 * authors.
 */
#ifndef __TPROF_WAIT_STACK_PERF_BPF_H
#define __TPROF_WAIT_STACK_PERF_BPF_H

#include <tprof/walk_perf.bpf.h>

/* The stacks by thread. The loader makes these maps only if they are used. */
struct tprof_wait_stacks {
	__uint(type, TPROF_MAP_HASH);
	__uint(map_flags, TPROF_MAP_NO_PREALLOC);
	__uint(max_entries, TPROF_WAIT_THREADS);
	__type(key, __u32);
	__type(value, struct tprof_wait_stack);
};
struct tprof_wait_stacks tprof_wait_kern SEC(".maps");
struct tprof_wait_stacks tprof_wait_user SEC(".maps");

/* The first frames of a kernel stack that are searched for the scheduler. Those before it are of this program. */
#define TPROF_WAIT_FRAMES	16

static __always_inline int tprof_is_scheduler(__u64 ip)
{
	return ip >= tprof_object.sched_start && ip < tprof_object.sched_end;
}

/*
 * Finds the scheduler in the first frames. Returns the index of its first frame, 0 if it is not found. Sets *place to
 * the address of the call into it.
 */
static __always_inline __u32 tprof_wait_find(const __u64 *ip, __u64 *place)
{
	__u32 first = 0, i;
	int found = 0;

	*place = TPROF_IP_KERNEL;
	for (i = 0; i < TPROF_WAIT_FRAMES; i++) {
		int is = tprof_is_scheduler(ip[i]);

		if (is && !found) {
			found = 1;
			first = i;
		}
		if (!is && found) {
			*place = tprof_call_place(ip[i]);
			break;
		}
	}
	return first;
}

/* Finds where the current thread waits, if the filter asks for nothing more. Returns the index of the scheduler. */
static __always_inline __u32 tprof_wait_place(void *ctx, __u64 *place)
{
	__u64 ip[TPROF_WAIT_FRAMES] = {};

	bpf_get_stack(ctx, ip, sizeof(ip), 0);
	return tprof_wait_find(ip, place);
}

/*
 * Walks the kernel stack of the current thread. If the capacity is small, the frames of this program are left out in
 * the walk; else they are left out after it, which saves a second walk.
 */
static __always_inline __u32 tprof_wait_walk_kern(void *ctx, struct tprof_scratch *scratch)
{
	__u64 place;
	__u32 skip = tprof_object.stack_frames < 2 * TPROF_WAIT_FRAMES ? tprof_wait_place(ctx, &place) : 0;

	return tprof_perf_walk_from(ctx, scratch, TPROF_SCRATCH_WAIT, TPROF_STACK_KERNEL,
				    skip & (TPROF_WAIT_FRAMES - 1));
}

/* Copies the frames from @first on, which is below TPROF_WAIT_FRAMES. */
static __always_inline void tprof_wait_copy(struct tprof_wait_stack *to, const struct tprof_scratch *scratch,
					    __u32 kind, __u32 first, __u32 nr)
{
	bpf_probe_read_kernel(to->ip, tprof_object.stack_frames * sizeof(to->ip[0]),
			      &scratch->stack.ip[first & (TPROF_WAIT_FRAMES - 1)]);
	to->flags = kind;
	to->nr_frames = nr > first ? nr - first : 0;
}

/*
 * Stores the kernel stack that was walked, without the frames before the scheduler, which are of the program that
 * walked it. Returns where the thread waits.
 */
static __always_inline __u64 tprof_wait_store_kern(struct tprof_scratch *scratch, __u32 nr, struct tprof_wait_stack *to)
{
	__u64 place = TPROF_IP_KERNEL;
	__u32 first;

	/* The helper clears only what it was given. */
	if (nr < TPROF_WAIT_FRAMES)
		scratch->stack.ip[nr] = 0;
	first = nr ? tprof_wait_find(scratch->stack.ip, &place) : 0;
	tprof_wait_copy(to, scratch, TPROF_STACK_KERNEL, first, nr);
	return place;
}

/* Stores the user stack of the current thread. */
static __always_inline void tprof_wait_store_user(void *ctx, struct tprof_scratch *scratch, struct tprof_wait_stack *to)
{
	__u32 nr = tprof_perf_walk(ctx, scratch, TPROF_SCRATCH_WAIT, TPROF_STACK_USER);

	tprof_wait_copy(to, scratch, TPROF_STACK_USER, 0, nr);
}

/* The entry of a thread in a map of stacks, with any content. NULL: there is no space. */
static __always_inline struct tprof_wait_stack *tprof_wait_slot(void *map, const __u32 *tid,
								const struct tprof_scratch *scratch)
{
	struct tprof_wait_stack *slot = bpf_map_lookup_elem(map, tid);

	if (slot)
		return slot;
	bpf_map_update_elem(map, tid, &scratch->stack, TPROF_UPDATE_NOEXIST);
	return bpf_map_lookup_elem(map, tid);
}

/* Stores the stacks of the current thread as far as the filter asks for them. Returns where it waits. */
static __always_inline __u64 tprof_wait_store(void *ctx, const struct tprof_sample *s)
{
	struct tprof_scratch *scratch;
	struct tprof_wait_stack *to;
	__u32 tid = s->tid;
	__u64 place = TPROF_IP_KERNEL;

	if (!tprof_object.wait_event && !tprof_object.run_event)
		return 0;
	if (tprof_object.wait_place && !(tprof_object.wait_stacks & TPROF_STACK_KERNEL))
		tprof_wait_place(ctx, &place);
	if (!tprof_object.wait_stacks)
		return place;
	scratch = tprof_scratch_of(TPROF_SCRATCH_WAIT);
	if (!scratch)
		return place;
	if (tprof_object.wait_stacks & TPROF_STACK_KERNEL) {
		to = tprof_wait_slot(&tprof_wait_kern, &tid, scratch);
		if (to)
			place = tprof_wait_store_kern(scratch, tprof_wait_walk_kern(ctx, scratch), to);
	}
	if (tprof_object.wait_stacks & TPROF_STACK_USER && !(s->flags & TPROF_SAMPLE_KTHREAD)) {
		to = tprof_wait_slot(&tprof_wait_user, &tid, scratch);
		if (to)
			tprof_wait_store_user(ctx, scratch, to);
	}
	return place;
}

/*
 * The stack of a wait that is over, or the copy of that of a wait in progress. Not inlined: from the functions in the
 * object, the loader knows which stacks the filter asks for.
 */
static __noinline void *tprof_waited_kernel(__u32 tid, int engine)
{
	return engine == TPROF_OBJECT_WAIT ? bpf_map_lookup_elem(&tprof_wait_kern, &tid) :
					     (void *)tprof_scratch_of(TPROF_SCRATCH_PART_KERN);
}

static __noinline void *tprof_waited_user(__u32 tid, int engine)
{
	return engine == TPROF_OBJECT_WAIT ? bpf_map_lookup_elem(&tprof_wait_user, &tid) :
					     (void *)tprof_scratch_of(TPROF_SCRATCH_PART_USER);
}

/* The stack is the first member of both types. */
static __always_inline struct tprof_deep_stack *tprof_wait_stack(const struct tprof_sample *s, __u32 kind, int engine)
{
	return kind == TPROF_STACK_USER ? tprof_waited_user(s->tid, engine) : tprof_waited_kernel(s->tid, engine);
}

#endif
