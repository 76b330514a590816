// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Offsets from which a program describes any task: its state, its cgroup, its ids in a pid namespace. */
#include "kernel_task.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdint.h>

#include "kernel_btf.h"

enum { TASK, INFO, CSS_SET, CGROUP, NODE, PID, UPID, NAMESPACE, COMMON, QUEUE, CPU_QUEUE, ENTITY, NR_STRUCTURES };

/* X(member of struct tprof_task_layout, structure, "member") */
#define MEMBERS(X)							\
	X(task_state,		TASK,		"__state")		\
	X(task_on_cpu,		TASK,		"on_cpu")		\
	X(task_pi_lock,		TASK,		"pi_lock")		\
	X(task_nvcsw,		TASK,		"nvcsw")		\
	X(task_nivcsw,		TASK,		"nivcsw")		\
	X(task_cgroups,		TASK,		"cgroups")		\
	X(task_thread_pid,	TASK,		"thread_pid")		\
	X(task_group_leader,	TASK,		"group_leader")		\
	X(css_set_cgroup,	CSS_SET,	"dfl_cgrp")		\
	X(cgroup_kn,		CGROUP,		"kn")			\
	X(cgroup_level,		CGROUP,		"level")		\
	X(cgroup_ancestors,	CGROUP,		"ancestors")		\
	X(kn_id,		NODE,		"id")			\
	X(pid_level,		PID,		"level")		\
	X(pid_numbers,		PID,		"numbers")		\
	X(upid_ns,		UPID,		"ns")

struct search {
	const struct kernel_btf *btf;
	struct kernel_btf_type structures[NR_STRUCTURES];
};

static int64_t find(const struct search *search, int structure, const char *member)
{
	return kernel_btf_member(search->btf, search->structures[structure].type, member);
}

/* A member of a member. */
static int64_t find_inside(const struct search *search, int outer, const char *member, int inner, const char *name)
{
	int64_t first = find(search, outer, member), second = find(search, inner, name);

	return first < 0 || second < 0 ? -ENOENT : first + second;
}

static int find_iowait(const struct search *search, struct tprof_task_layout *layouts)
{
	int64_t bit = kernel_btf_member_bit(search->btf, search->structures[TASK].type, "in_iowait");

	if (bit < 0)
		return -EINVAL;
	layouts->task_in_iowait = (uint32_t)(bit / 8);
	layouts->in_iowait_mask = 1U << (bit % 8);
	return 0;
}

/* TS_COMPAT of x86-64, and TIF_32BIT of arm64, whose struct thread_info has no status; unchanged since Linux 6.1. */
#define STATUS_COMPAT	(1U << 1)
#define FLAG_32BIT	(1U << 22)

/* Where a task says that its system call is one of a 32-bit architecture. */
static int find_compat(const struct search *search, struct tprof_task_layout *layouts)
{
	int64_t offset = find_inside(search, TASK, "thread_info", INFO, "status");

	layouts->compat_mask = offset < 0 ? FLAG_32BIT : STATUS_COMPAT;
	if (offset < 0)
		offset = find_inside(search, TASK, "thread_info", INFO, "flags");
	layouts->task_compat = (uint32_t)offset;
	return offset < 0 ? -EINVAL : 0;
}

/* From the queue of any task to the queues of its CPU. */
static void find_queues(const struct search *search, struct tprof_preempt_count *count)
{
	int64_t rq = find(search, QUEUE, "rq"), cfs = find(search, CPU_QUEUE, "cfs");

	count->queue_rq = rq < 0 || cfs < 0 ? 0 : (uint32_t)rq;
	count->rq_cfs = rq < 0 || cfs < 0 ? 0 : (uint32_t)cfs;
}

int kernel_task_parse(struct tprof_task_layout *layouts, struct tprof_preempt_count *count, const void *bytes,
		      size_t size)
{
	struct kernel_btf btf;
	struct search search = { &btf, {
		[TASK] = { .name = "task_struct" }, [INFO] = { .name = "thread_info" },
		[CSS_SET] = { .name = "css_set" }, [CGROUP] = { .name = "cgroup" }, [NODE] = { .name = "kernfs_node" },
		[PID] = { .name = "pid" }, [UPID] = { .name = "upid" }, [NAMESPACE] = { .name = "pid_namespace" },
		[COMMON] = { .name = "ns_common" }, [QUEUE] = { .name = "cfs_rq" }, [CPU_QUEUE] = { .name = "rq" },
		[ENTITY] = { .name = "sched_entity" },
	} };
	int64_t offset;
	int err = kernel_btf_open(&btf, bytes, size);

	if (err)
		return err;
	for (size_t i = 0; i < NR_STRUCTURES; i++)
		search.structures[i].kind = BTF_KIND_STRUCT;
	kernel_btf_find(&btf, search.structures, NR_STRUCTURES, NULL, 0);
#define X(name, structure, member)				\
	offset = find(&search, structure, member);		\
	if (offset < 0)						\
		return -EINVAL;					\
	layouts->name = (uint32_t)offset;
	MEMBERS(X)
#undef X
	/* An entry of pid.numbers is a struct upid, of which the last member is the pointer to the namespace. */
	layouts->upid_size = layouts->upid_ns + (uint32_t)sizeof(uint64_t);
	offset = find_inside(&search, NAMESPACE, "ns", COMMON, "inum");
	if (offset < 0)
		return -EINVAL;
	layouts->ns_inum = (uint32_t)offset;
	offset = find_inside(&search, TASK, "thread_info", INFO, "cpu");
	if (offset < 0)
		offset = find(&search, TASK, "cpu");
	if (offset < 0)
		return -EINVAL;
	layouts->task_cpu = (uint32_t)offset;
	offset = find_inside(&search, TASK, "se", ENTITY, "sum_exec_runtime");
	if (offset < 0)
		return -EINVAL;
	layouts->task_exec_runtime = (uint32_t)offset;
	find_queues(&search, count);
	err = find_compat(&search, layouts);
	return err ? err : find_iowait(&search, layouts);
}

struct output {
	struct tprof_task_layout *layouts;
	struct tprof_preempt_count *count;
};

static int parse(void *ctx, const void *bytes, size_t size)
{
	const struct output *output = ctx;

	return kernel_task_parse(output->layouts, output->count, bytes, size);
}

int kernel_task_read(struct tprof_task_layout *layouts, struct tprof_preempt_count *count)
{
	struct output output = { layouts, count };

	return kernel_btf_read(parse, &output);
}
