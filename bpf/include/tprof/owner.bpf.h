/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owners: for whom the kernel did the work of a sample.
 *
 *	TPROF_OWNERS(4096);
 *	TPROF_TABLE(tasks, tprof_tgid_t, 4096);
 *	...
 *		struct tprof_work_owner owner;
 *
 *		if (tprof_work_owner(s, &owner) == 0)
 *			tprof_count(tasks, owner.tgid, s->weight);
 *
 * The module keeps the owners itself. On the perf engine, three programs of the object do it, at the tracepoints of
 * workqueues: a work item has the owner of the code that queued it. The loader loads and attaches them only for an
 * object with TPROF_OWNERS(). bpf/filters/owners.bpf.c is an example.
 */
#ifndef __TPROF_OWNER_BPF_H
#define __TPROF_OWNER_BPF_H

#include <tprof/stack.bpf.h>
#include <tprof/wait_waker_perf.bpf.h>

/* Kfunc of the module. Weak, as those of call stacks. */
extern int tprof_owner_of(const struct tprof_sample *s, void *owner, __u32 owner__sz) __weak __ksym;

/*
 * TPROF_OWNERS(entries) - note owners; at most once in an object
 * @entries: how many work items with an owner may wait at a time, and how many threads may execute one, on the perf
 *           engine. The module has tables of its own
 */
#define TPROF_OWNERS(entries)								\
	struct {									\
		__uint(type, TPROF_MAP_LRU_HASH);					\
		__uint(max_entries, entries);						\
		__type(key, __u64);							\
		__type(value, struct tprof_owned);					\
	} tprof_owned SEC(".maps");							\
	struct {									\
		__uint(type, TPROF_MAP_HASH);						\
		__uint(max_entries, entries);						\
		__type(key, __u32);							\
		__type(value, struct tprof_work_owner);					\
	} tprof_owners SEC(".maps");							\
	SEC("?raw_tp/workqueue_queue_work")						\
	int tprof_queued(const __u64 *ctx)						\
	{										\
		return tprof_owner_queued(&tprof_owned, &tprof_owners, ctx[2]);		\
	}										\
	SEC("?raw_tp/workqueue_execute_start")						\
	int tprof_started(const __u64 *ctx)						\
	{										\
		return tprof_owner_started(&tprof_owned, &tprof_owners, ctx[0]);	\
	}										\
	SEC("?raw_tp/workqueue_execute_end")						\
	int tprof_ended(const __u64 *ctx)						\
	{										\
		return tprof_owner_ended(&tprof_owners);				\
	}

/*
 * tprof_work_owner(s, owner) - get the owner of a sample
 * @s:     the sample that was passed to the filter; &w->sample in TPROF_OFFCPU()
 * @owner: struct tprof_work_owner to be filled (uapi/tprof_owner.h)
 *
 * Returns 0, or -TPROF_ENOENT if the sample is not of work for somebody else, or its owner is not known; then all
 * members are 0. Only in an object with TPROF_OWNERS().
 */
#define tprof_work_owner(s, owner) tprof_owner_get(&tprof_owners, s, owner, tprof_run)

/*
 * tprof_owner_or_self(s, process, exec) - get the process for which a sample was taken
 * @s:       as in tprof_work_owner()
 * @process: tprof_owner_t to be set: the process of the owner, or that of the sample if it has no owner with a process
 * @exec:    tprof_owner_exec_t to be set: the program image of that process
 */
#define tprof_owner_or_self(s, process, exec)								\
	({												\
		struct tprof_work_owner owner_;								\
		int self_ = tprof_work_owner(s, &owner_) || !owner_.tgid;				\
													\
		*(process) = self_ ? (s)->tgid : owner_.tgid;						\
		*(exec) = self_ ? (s)->exec_id : owner_.exec_id;					\
	})

#define TPROF_ENOENT 2

/* The id of the first thread of the kernel, the parent of all others. */
#define TPROF_KTHREADD 2

/* The first bit of a struct work_struct: it is queued. Unchanged since Linux 2.6. */
#define TPROF_WORK_PENDING 1

static __always_inline __u32 tprof_owner_tid(void)
{
	return tprof_kernel_member(__u32, tprof_current_task(), task_pid);
}

/*
 * The current thread, if it has a user address space of its own. A thread of the kernel may use that of a process,
 * which it does not belong to.
 */
static __always_inline int tprof_owner_thread(struct tprof_work_owner *owner)
{
	const char *task = tprof_cast_task(tprof_current_task());
	const char *parent = tprof_kernel_member(char *, task, task_real_parent);
	struct tprof_sample s = {};

	/* An address of the kernel, for the flags. */
	s.ip = ~0ULL;
	tprof_perf_task(&s);
	if ((s.flags & TPROF_SAMPLE_KTHREAD) || !parent ||
	    tprof_kernel_member(__u32, parent, task_tgid) == TPROF_KTHREADD)
		return 0;
	owner->cgroup_id = s.cgroup_id;
	owner->tgid = s.tgid;
	owner->tid = s.tid;
	owner->exec_id = s.exec_id;
	__builtin_memcpy(owner->comm, s.comm, sizeof(owner->comm));
	return 1;
}

/* For whom the current thread works: the owner of the work item that it executes, or itself. Not in an interrupt. */
static __always_inline int tprof_owner_of_current(void *owners, struct tprof_work_owner *owner)
{
	const struct tprof_work_owner *found;
	__u32 tid = tprof_owner_tid();

	if (tprof_wait_context() != TPROF_WAKER_THREAD)
		return 0;
	found = bpf_map_lookup_elem(owners, &tid);
	if (!found)
		return tprof_owner_thread(owner);
	*owner = *found;
	return 1;
}

/* A work item is queued that was not pending. The lock of its pool is held, and interrupts are disabled. */
static __always_inline int tprof_owner_queued(void *owned, void *owners, __u64 work)
{
	const struct tprof_owned *before;
	struct tprof_owned now = {};

	if (!tprof_owner_of_current(owners, &now.owner)) {
		bpf_map_delete_elem(owned, &work);
		return 0;
	}
	before = bpf_map_lookup_elem(owned, &work);
	now.again = before && before->owner.tid == now.owner.tid && before->owner.tgid == now.owner.tgid &&
		    before->owner.exec_id == now.owner.exec_id;
	bpf_map_update_elem(owned, &work, &now, TPROF_UPDATE_ANY);
	return 0;
}

/*
 * A work item begins. It is no longer pending since shortly before, so it may have been queued again in between: then
 * the entry is that of its next execution, and this one has the same owner or an unknown one. An entry that another CPU
 * reuses while it is copied is not found again. In a soft interrupt, the current thread does not execute the item.
 */
static __always_inline int tprof_owner_started(void *owned, void *owners, __u64 work)
{
	struct tprof_owned *entry = bpf_map_lookup_elem(owned, &work);
	__u32 tid = tprof_owner_tid();
	struct tprof_owned copy;
	int pending;

	if (!entry)
		return 0;
	copy = *entry;
	pending = tprof_kernel_u64(work, 0) & TPROF_WORK_PENDING;
	if (bpf_map_lookup_elem(owned, &work) != entry)
		return 0;
	if (pending)
		entry->again = 0;
	else
		bpf_map_delete_elem(owned, &work);
	if ((!pending || copy.again) && tprof_wait_context() == TPROF_WAKER_THREAD)
		bpf_map_update_elem(owners, &tid, &copy.owner, TPROF_UPDATE_ANY);
	return 0;
}

static __always_inline int tprof_owner_ended(void *owners)
{
	__u32 tid = tprof_owner_tid();

	if (tprof_wait_context() == TPROF_WAKER_THREAD)
		bpf_map_delete_elem(owners, &tid);
	return 0;
}

/* A sample in an interrupt is not of the work that it has interrupted. HARDIRQ includes the interrupt of the sample. */
static __always_inline int tprof_owner_interrupted(void)
{
	__s64 count = tprof_wait_preempt_count();

	return count < 0 || TPROF_PREEMPT_HARDIRQ(count) > 1 || (count & TPROF_PREEMPT_SOFTIRQ);
}

static __always_inline int tprof_owner_get(void *owners, const struct tprof_sample *s, struct tprof_work_owner *owner,
					   const struct tprof_run *run)
{
	const struct tprof_work_owner *found;
	__u32 tid = s->tid;

	__builtin_memset(owner, 0, sizeof(*owner));
	if (tprof_engine(run) == TPROF_OBJECT_KMOD)
		return tprof_owner_of(s, owner, sizeof(*owner));
	if (!(s->flags & TPROF_SAMPLE_KERNEL))
		return -TPROF_ENOENT;
	/* A run of a thread may be of several work items, and the owner of a wait that lasts may change. */
	if (tprof_engine(run) == TPROF_OBJECT_PART ||
	    (tprof_engine(run) == TPROF_OBJECT_WAIT && !(s->flags & TPROF_SAMPLE_WAIT)))
		return -TPROF_ENOENT;
	found = bpf_map_lookup_elem(owners, &tid);
	if (!found || (!tprof_is_wait(run) && tprof_owner_interrupted()))
		return -TPROF_ENOENT;
	*owner = *found;
	return 0;
}

#endif
