// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Owners of work on the perf engine: the programs of a filter with TPROF_OWNERS() at the tracepoints of workqueues, and
 * the maps in which they note who has queued a work item. The module notes that itself.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "filter.h"
#include "host/kernel_task.h"

/* In the order in which they are attached: an item whose execution is seen has been seen when it was queued. */
static const struct {
	const char *tracepoint, *program;
} programs[] = {
	{ "workqueue_queue_work", TPROF_QUEUED_NAME },
	{ "workqueue_execute_end", TPROF_ENDED_NAME },
	{ "workqueue_execute_start", TPROF_STARTED_NAME },
};
_Static_assert(FILTER_OWNER_FDS == ARRAY_SIZE(programs), "descriptors");

bool filter_is_owner_program(const struct bpf_program *program)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		if (strcmp(bpf_program__name(program), programs[i].program) == 0)
			return true;
	}
	return false;
}

static struct bpf_program *find_program(const struct tprof_filter *filter, size_t index)
{
	return bpf_object__find_program_by_name(filter->object, programs[index].program);
}

int filter_choose_owners(struct tprof_filter *filter, struct tprof_error *error)
{
	struct tprof_object *constants = filter->constants;
	int err = 0;

	if (!filter->has_owners)
		return 0;
	for (size_t i = 0; !err && i < ARRAY_SIZE(programs); i++) {
		struct bpf_program *program = find_program(filter, i);

		err = program ? bpf_program__set_autoload(program, true) : -ENOEXEC;
	}
	if (err)
		return error_set(error, ENOEXEC, "%s: compiled with the headers of another tprof", filter->path);
	/* Where it fails, the programs do not know which code is part of an interrupt, and find no owners. */
	kernel_task_read(&constants->layouts, &constants->preempt_count);
	return 0;
}

static int refuse(const struct tprof_filter *filter, int err, struct tprof_error *error)
{
	error_set(error, -err, "filter %s: the owners of work cannot be observed: %s", tprof_filter__name(filter),
		  err == -ENOENT ? "the kernel has no tracepoints of workqueues" : strerror(-err));
	if (err == -EPERM || err == -EACCES)
		error_hint(error, "run as root, or with CAP_BPF and CAP_PERFMON");
	else
		error_hint(error, "tprof doctor shows what this kernel can do");
	return err;
}

int filter_attach_owners(struct tprof_filter *filter, struct tprof_error *error)
{
	for (size_t i = 0; filter->has_owners && i < ARRAY_SIZE(programs); i++) {
		int fd = bpf_raw_tracepoint_open(programs[i].tracepoint, bpf_program__fd(find_program(filter, i)));

		if (fd < 0)
			return refuse(filter, fd, error);
		filter->owner_fds[i] = fd;
	}
	return 0;
}

void filter_detach_owners(struct tprof_filter *filter)
{
	for (size_t i = 0; i < FILTER_OWNER_FDS; i++) {
		if (filter->owner_fds[i] >= 0)
			close(filter->owner_fds[i]);
		filter->owner_fds[i] = -1;
	}
}
