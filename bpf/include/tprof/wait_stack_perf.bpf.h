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
	__uint(max_entries, TPROF_WAIT_THREADS);
	__type(key, __u32);
	__type(value, struct tprof_wait_stack);
};
struct tprof_wait_stacks tprof_wait_kern SEC(".maps");
struct tprof_wait_stacks tprof_wait_user SEC(".maps");

static __always_inline void *tprof_wait_stored(__u32 kind, const __u32 *tid)
{
	return kind == TPROF_STACK_USER ? bpf_map_lookup_elem(&tprof_wait_user, tid) :
					  bpf_map_lookup_elem(&tprof_wait_kern, tid);
}

/* The stack of a wait that is over, or the copy of that of a wait in progress. */
static __always_inline struct tprof_deep_stack *tprof_wait_stack(const struct tprof_sample *s, __u32 kind, int engine)
{
	struct tprof_scratch *scratch;
	__u32 tid = s->tid;

	if (engine == TPROF_OBJECT_WAIT)
		return tprof_wait_stored(kind, &tid);
	scratch = tprof_scratch_of(kind == TPROF_STACK_USER ? TPROF_SCRATCH_PART_USER : TPROF_SCRATCH_PART_KERN);
	return scratch ? &scratch->stack : 0;
}

#endif
