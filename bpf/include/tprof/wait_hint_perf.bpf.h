/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the programs of waits cheap for threads that are not in scope, which may be most of those that switch: a hint
 * for each thread, in an array, saves the lookups in hash tables. Not for filter authors.
 *
 * Threads whose ids are equal in the lower bits share a hint.
 */
#ifndef __TPROF_WAIT_HINT_PERF_BPF_H
#define __TPROF_WAIT_HINT_PERF_BPF_H

#include <tprof/scope_perf.bpf.h>

/*
 * @nr:  threads in tprof_waits that have this hint; 0: a lookup would find none
 * @out: the thread that was found to be out of scope, and in the upper half the epoch in which it was
 */
struct tprof_wait_hint {
	__u32 nr;
	__u32 pad;
	__u64 out;
};

#define TPROF_WAIT_HINTS	4096

struct {
	__uint(type, TPROF_MAP_ARRAY);
	__uint(max_entries, TPROF_WAIT_HINTS);
	__type(key, __u32);
	__type(value, struct tprof_wait_hint);
} tprof_wait_hint SEC(".maps");

struct {
	__uint(type, TPROF_MAP_HASH);
	__uint(map_flags, TPROF_MAP_NO_PREALLOC);
	__uint(max_entries, TPROF_WAIT_THREADS);
	__type(key, __u32);
	__type(value, struct tprof_wait_state);
} tprof_waits SEC(".maps");

/* Never NULL; the verifier requires the check. */
static __always_inline struct tprof_wait_hint *tprof_wait_hint_of(__u32 tid)
{
	__u32 slot = tid & (TPROF_WAIT_HINTS - 1);

	return bpf_map_lookup_elem(&tprof_wait_hint, &slot);
}

static __always_inline struct tprof_wait_state *tprof_wait_lookup(__u32 tid)
{
	const struct tprof_wait_hint *hint = tprof_wait_hint_of(tid);

	return hint && *(const volatile __u32 *)&hint->nr ? bpf_map_lookup_elem(&tprof_waits, &tid) : 0;
}

/* Inserts a thread that is not there. It is counted before it can be found. */
static __always_inline void tprof_wait_insert(__u32 tid, const struct tprof_wait_state *state)
{
	struct tprof_wait_hint *hint = tprof_wait_hint_of(tid);

	if (!hint)
		return;
	__sync_fetch_and_add(&hint->nr, 1);
	if (bpf_map_update_elem(&tprof_waits, &tid, state, TPROF_UPDATE_NOEXIST))
		__sync_fetch_and_add(&hint->nr, -1);
}

static __always_inline void tprof_wait_remove(__u32 tid)
{
	struct tprof_wait_hint *hint = tprof_wait_hint_of(tid);

	if (hint && !bpf_map_delete_elem(&tprof_waits, &tid))
		__sync_fetch_and_add(&hint->nr, -1);
}

/*
 * A thread that is out of scope can come into it if a target is added, or if its parent ends and it gets another one.
 * Either begins another epoch. Thread ids are used again only after their thread has ended.
 */
static __always_inline struct tprof_cpu_ledger *tprof_scope_epoch(void)
{
	__u32 slot = tprof_object.nr_cpus;

	return bpf_map_lookup_elem(&tprof_ledger, &slot);
}

static __always_inline void tprof_scope_changes(void)
{
	struct tprof_cpu_ledger *ledger;

	if (!(tprof_object.scope & TPROF_SCOPE_TASKS))
		return;
	ledger = tprof_scope_epoch();
	if (ledger)
		__sync_fetch_and_add(&ledger->scope_epoch, 1);
}

/* As tprof_scope_tasks() */
static __always_inline int tprof_wait_in_tasks(__u32 tid)
{
	const struct tprof_cpu_ledger *ledger = tprof_scope_epoch();
	struct tprof_wait_hint *hint = tprof_wait_hint_of(tid);
	__u64 out;

	if (!ledger || !hint)
		return 0;
	/* The epoch is read before the processes in scope are. */
	out = (__u64)*(const volatile __u32 *)&ledger->scope_epoch << 32 | tid;
	if (*(volatile __u64 *)&hint->out == out)
		return 0;
	if (tprof_scope_tasks())
		return 1;
	*(volatile __u64 *)&hint->out = out;
	return 0;
}

/* As tprof_in_scope(), for the current thread. Waits have no mode. */
static __always_inline int tprof_wait_in_scope(__u32 tid)
{
	const __u32 scope = tprof_object.scope;

	if ((scope & TPROF_SCOPE_COMM) && !tprof_scope_comm())
		return 0;
	if ((scope & TPROF_SCOPE_CGROUPS) && !tprof_scope_cgroups())
		return 0;
	return !(scope & TPROF_SCOPE_TASKS) || tprof_wait_in_tasks(tid);
}

#endif
