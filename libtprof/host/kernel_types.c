// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Offsets of kernel structure members that filters read. */
#include "kernel_types.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>

#include "kernel_btf.h"

enum { TASK, MM, ENTITY, QUEUE, INFO, HOT, CAST };
enum { QUEUES, COUNT, HOT_OF_CPU };

/* All that is searched, to be found in one pass. A kernel lacks some of it. */
struct search {
	const struct kernel_btf *btf;
	struct kernel_btf_type types[CAST + 1];
	struct kernel_btf_variable variables[HOT_OF_CPU + 1];
	bool has_variables;
};

static void find_types(struct search *search, const struct kernel_btf *btf)
{
	*search = (struct search){
		.btf = btf,
		.types = {
			[TASK] = { "task_struct", BTF_KIND_STRUCT },
			[MM] = { "mm_struct", BTF_KIND_STRUCT },
			[ENTITY] = { "sched_entity", BTF_KIND_STRUCT },
			[QUEUE] = { "rq", BTF_KIND_STRUCT },
			[INFO] = { "thread_info", BTF_KIND_STRUCT },
			[HOT] = { "pcpu_hot", BTF_KIND_STRUCT },
			[CAST] = { "bpf_rdonly_cast", BTF_KIND_FUNC },
		},
		.variables = {
			[QUEUES] = { .name = "runqueues" },
			[COUNT] = { .name = "__preempt_count" },
			[HOT_OF_CPU] = { .name = "pcpu_hot" },
		},
	};
	search->has_variables = kernel_btf_find(btf, search->types, CAST + 1, search->variables, HOT_OF_CPU + 1);
}

static int64_t find_member(const struct search *search, int structure, const char *member)
{
	return kernel_btf_member(search->btf, search->types[structure].type, member);
}

static int find_offset(const struct search *search, uint32_t *offset, int structure, const char *member)
{
	int64_t found = find_member(search, structure, member);

	*offset = (uint32_t)found;
	return found < 0 ? -EINVAL : 0;
}

/* preempt_count is a per-CPU variable of its own, or a member of pcpu_hot from Linux 6.2 to 6.14. */
static int64_t count_in_section(const struct search *search)
{
	const struct kernel_btf_variable *count = &search->variables[COUNT], *hot = &search->variables[HOT_OF_CPU];
	int64_t member;

	if (count->found)
		return count->offset;
	if (!hot->found)
		return -ENOENT;
	member = find_member(search, HOT, "preempt_count");
	return member < 0 ? member : hot->offset + member;
}

/* Returns false if something is missing. */
static bool find_by_queue(const struct search *search, struct tprof_preempt_count *count)
{
	int64_t entity = find_member(search, TASK, "se"), queue = find_member(search, ENTITY, "cfs_rq");
	int64_t cfs = find_member(search, QUEUE, "cfs"), cpu = find_member(search, QUEUE, "cpu");
	int64_t at = count_in_section(search);

	if (entity < 0 || queue < 0 || cfs < 0 || cpu < 0 || at < 0 || !search->has_variables ||
	    !search->variables[QUEUES].found)
		return false;
	count->task_queue = (uint32_t)(entity + queue);
	count->queue_to_cpu = (int32_t)(cpu - cfs);
	count->queue_to_count = (int32_t)(at - search->variables[QUEUES].offset - cfs);
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
	find_types(&search, &btf);
	types->cast_function = search.types[CAST].id;
	types->task_type = search.types[TASK].id;
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
