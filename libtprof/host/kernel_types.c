// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Offsets of kernel structure members that filters read. */
#include "kernel_types.h"

#include <errno.h>
#include <stdbool.h>

#include "kernel_btf.h"

enum { TASK, MM, ENTITY, QUEUE, INFO };

/* All that is searched in most kernels, to be found in one pass */
struct search {
	const struct kernel_btf *btf;
	struct kernel_btf_structure structures[INFO + 1];
};

static void find_structures(struct search *search, const struct kernel_btf *btf)
{
	*search = (struct search){ btf, {
		[TASK] = { .name = "task_struct" },
		[MM] = { .name = "mm_struct" },
		[ENTITY] = { .name = "sched_entity" },
		[QUEUE] = { .name = "rq" },
		[INFO] = { .name = "thread_info" },
	} };
	kernel_btf_structures(btf, search->structures, INFO + 1);
}

static int64_t find_member(const struct search *search, int structure, const char *member)
{
	return kernel_btf_member(search->btf, search->structures[structure].type, member);
}

static int find_offset(const struct search *search, uint32_t *offset, int structure, const char *member)
{
	int64_t found = find_member(search, structure, member);

	*offset = (uint32_t)found;
	return found < 0 ? -EINVAL : 0;
}

/* preempt_count is a per-CPU variable of its own, or a member of pcpu_hot from Linux 6.2 to 6.14. */
static int64_t count_in_section(const struct kernel_btf *btf, const struct kernel_btf_variable *count,
				const struct kernel_btf_variable *variable)
{
	struct kernel_btf_structure hot = { .name = "pcpu_hot" };
	int64_t member;

	if (count->found)
		return count->offset;
	if (!variable->found)
		return -ENOENT;
	kernel_btf_structures(btf, &hot, 1);
	member = kernel_btf_member(btf, hot.type, "preempt_count");
	return member < 0 ? member : variable->offset + member;
}

/* Returns false if something is missing. */
static bool find_by_queue(const struct search *search, struct tprof_preempt_count *count)
{
	enum { QUEUES, COUNT, HOT };
	struct kernel_btf_variable variables[] = {
		[QUEUES] = { .name = "runqueues" },
		[COUNT] = { .name = "__preempt_count" },
		[HOT] = { .name = "pcpu_hot" },
	};
	int64_t entity = find_member(search, TASK, "se"), queue = find_member(search, ENTITY, "cfs_rq");
	int64_t cfs = find_member(search, QUEUE, "cfs"), cpu = find_member(search, QUEUE, "cpu");
	int64_t at;

	if (entity < 0 || queue < 0 || cfs < 0 || cpu < 0 ||
	    !kernel_btf_variables(search->btf, variables, HOT + 1) || !variables[QUEUES].found)
		return false;
	at = count_in_section(search->btf, &variables[COUNT], &variables[HOT]);
	if (at < 0)
		return false;
	count->task_queue = (uint32_t)(entity + queue);
	count->queue_to_cpu = (int32_t)(cpu - cfs);
	count->queue_to_count = (int32_t)(at - variables[QUEUES].offset - cfs);
	return true;
}

static bool find_in_task(const struct search *search, struct tprof_preempt_count *count)
{
	int64_t info = find_member(search, TASK, "thread_info");
	int64_t member = find_member(search, INFO, "preempt_count");

	if (info < 0 || member < 0)
		return false;
	count->task_count = (uint32_t)(info + member);
	return true;
}

static void find_preempt_count(const struct search *search, struct tprof_preempt_count *count)
{
	*count = (struct tprof_preempt_count){ 0 };
	if (find_in_task(search, count))
		count->where = TPROF_PREEMPT_COUNT_IN_TASK;
	else if (find_by_queue(search, count))
		count->where = TPROF_PREEMPT_COUNT_OF_CPU;
}

int kernel_types_parse(struct kernel_types *types, const void *bytes, size_t size)
{
	struct kernel_btf btf;
	struct search search;
	int err = kernel_btf_open(&btf, bytes, size);

	if (err)
		return err;
	find_structures(&search, &btf);
#define X(name, structure, member)					\
	if (!err)							\
		err = find_offset(&search, &types->name, structure, member);
	KERNEL_MEMBERS(X)
#undef X
	if (!err)
		find_preempt_count(&search, &types->preempt_count);
	return err;
}

static int parse(void *types, const void *bytes, size_t size)
{
	return kernel_types_parse(types, bytes, size);
}

int kernel_types_read(struct kernel_types *types)
{
	return kernel_btf_read(parse, types);
}
