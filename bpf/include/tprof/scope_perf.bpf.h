/* SPDX-License-Identifier: GPL-2.0-only */
/* The scope of the perf engine: which samples the session selects. Not for filter authors. */
#ifndef __TPROF_SCOPE_PERF_BPF_H
#define __TPROF_SCOPE_PERF_BPF_H

#include <tprof/sample_perf.bpf.h>

struct {
	__uint(type, TPROF_MAP_HASH);
	__uint(max_entries, 16384);
	__type(key, struct tprof_scope_key);
	__type(value, __u32);
} tprof_scope SEC(".maps");

struct {
	__uint(type, TPROF_MAP_ARRAY);
	__uint(max_entries, TPROF_SCOPE_MAX_CGROUPS);
	__type(key, __u32);
	__type(value, struct tprof_scope_cgroup);
} tprof_cgroups SEC(".maps");

/* Returns the id of the target to which it belongs, or NULL. */
static __always_inline const __u32 *tprof_scope_find(__u32 kind, __u32 id)
{
	struct tprof_scope_key key = { .kind = kind, .id = id };

	return bpf_map_lookup_elem(&tprof_scope, &key);
}

/*
 * Tests whether the process is a target or a descendant of one. A descendant is added to the map, so that it stays in
 * scope when its parents have exited. libtprof also adds children on fork events and removes processes that exited.
 */
static __always_inline int tprof_scope_tasks(void)
{
	const char *task = tprof_current_task();
	struct tprof_scope_key own = {
		.kind = TPROF_SCOPE_KIND_TGID,
		.id = tprof_kernel_member(__u32, task, task_tgid),
	};
	const __u32 *found;
	__u32 tgid, root, i;

	if (tprof_scope_find(TPROF_SCOPE_KIND_TGID, own.id) ||
	    tprof_scope_find(TPROF_SCOPE_KIND_TID, tprof_kernel_member(__u32, task, task_pid)))
		return 1;
	task = tprof_cast_task(task);
	for (i = 0; i < TPROF_SCOPE_MAX_ANCESTORS; i++) {
		task = tprof_kernel_member(char *, task, task_real_parent);
		if (!task)
			return 0;
		tgid = tprof_kernel_member(__u32, task, task_tgid);
		found = tprof_scope_find(TPROF_SCOPE_KIND_TGID, tgid);
		if (found) {
			root = *found;
			bpf_map_update_elem(&tprof_scope, &own, &root, TPROF_UPDATE_ANY);
			return 1;
		}
		if (tgid <= 1)
			return 0;
	}
	return 0;
}

static __always_inline int tprof_scope_cgroups(void)
{
	const struct tprof_scope_cgroup *cgroup;
	__u32 i;

	for (i = 0; i < TPROF_SCOPE_MAX_CGROUPS; i++) {
		__u32 slot = i;

		cgroup = bpf_map_lookup_elem(&tprof_cgroups, &slot);
		if (!cgroup || !cgroup->id)
			break;
		if (bpf_get_current_ancestor_cgroup_id(cgroup->level) == cgroup->id)
			return 1;
	}
	return 0;
}

/* Both names are padded with NUL. */
static __always_inline int tprof_scope_comm(void)
{
	struct tprof_comm_words own = tprof_perf_comm(), wanted;

	__builtin_memcpy(&wanted, tprof_constants()->comm, sizeof(wanted));
	return own.words[0] == wanted.words[0] && own.words[1] == wanted.words[1];
}

static __always_inline int tprof_scope_mode(__u64 ip, __u32 scope)
{
	barrier_var(ip);
	return tprof_perf_mode(ip) == (scope & TPROF_SCOPE_USER ? TPROF_SAMPLE_USER : TPROF_SAMPLE_KERNEL);
}

/*
 * Most sessions have no scope, and the filter may not read what the tests read. So the tests compute that themselves,
 * in branches which the verifier removes. They are made before anything else of the sample is computed: the verifier
 * checks them again for each way that leads to them.
 */
static __always_inline int tprof_in_scope(__u64 ip)
{
	const __u32 scope = tprof_object.scope;

	if (!scope)
		return 1;
	if ((scope & (TPROF_SCOPE_USER | TPROF_SCOPE_KERNEL)) && !tprof_scope_mode(ip, scope))
		return 0;
	if ((scope & TPROF_SCOPE_COMM) && !tprof_scope_comm())
		return 0;
	if ((scope & TPROF_SCOPE_CGROUPS) && !tprof_scope_cgroups())
		return 0;
	return !(scope & TPROF_SCOPE_TASKS) || tprof_scope_tasks();
}

#endif
