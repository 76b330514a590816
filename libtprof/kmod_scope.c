// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Processes and threads that a session of the module samples. */
#include "kmod_scope.h"

#include <errno.h>
#include <stdlib.h>

#include "kmod_device.h"
#include "proc.h"

struct census {
	struct parentage *processes;
	size_t nr;
	struct proc_text text;
	int err;
};

static int attach(int session_fd, uint32_t kind, pid_t id)
{
	struct tprof_target target = { .size = sizeof(target), .kind = kind, .id = (uint64_t)id };

	return kmod_call(session_fd, TPROF_IOC_ATTACH, &target);
}

/* A process that is gone meanwhile is left out. */
static int count(void *ctx, pid_t pid)
{
	struct census *census = ctx;
	struct parentage *grown;
	struct proc_stat stat;

	if (proc_read(&census->text, "%d/stat", pid) || proc_parse_stat(census->text.text, &stat))
		return 0;
	grown = realloc(census->processes, (census->nr + 1) * sizeof(*grown));
	if (!grown)
		return census->err = -ENOMEM;
	census->processes = grown;
	grown[census->nr++] = (struct parentage){ .pid = pid, .parent = stat.ppid };
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct parentage *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

bool parentage_is_marked(const struct parentage *processes, size_t nr, pid_t pid)
{
	const struct parentage wanted = { .pid = pid };
	const struct parentage *found = nr ? bsearch(&wanted, processes, nr, sizeof(wanted), by_pid) : NULL;

	return found && found->descends;
}

void parentage_mark(struct parentage *processes, size_t nr, pid_t ancestor)
{
	bool more;

	if (nr)
		qsort(processes, nr, sizeof(*processes), by_pid);
	/* A child may have a lower number than its parent: numbers start again from below. */
	do {
		more = false;
		for (size_t i = 0; i < nr; i++) {
			struct parentage *process = &processes[i];

			if (process->descends || (process->parent != ancestor &&
						  !parentage_is_marked(processes, nr, process->parent)))
				continue;
			process->descends = true;
			more = true;
		}
	} while (more);
}

static void census_fini(struct census *census)
{
	proc_text_fini(&census->text);
	free(census->processes);
}

/* Attaches the descendants that /proc shows and did not show before. Returns how many these are, or -errno. */
static int attach_descendants(int session_fd, pid_t ancestor, struct census *before)
{
	struct census now = { 0 };
	int nr = 0;

	proc_each_process(count, &now);
	if (!now.err)
		parentage_mark(now.processes, now.nr, ancestor);
	for (size_t i = 0; i < now.nr && !now.err; i++) {
		const struct parentage *process = &now.processes[i];
		int err;

		if (!process->descends || parentage_is_marked(before->processes, before->nr, process->pid))
			continue;
		nr++;
		err = attach(session_fd, TPROF_TARGET_PROCESS, process->pid);
		if (err && err != -ESRCH)
			now.err = err;
	}
	census_fini(before);
	*before = now;
	return now.err ? now.err : nr;
}

/*
 * A descendant may have forked between being seen and being attached; its child is seen at the next look. Whoever is
 * attached is followed by the module, so it ends when a look finds nobody else.
 */
int kmod_scope_add(int session_fd, enum tprof_scope_kind kind, pid_t id)
{
	struct census before = { 0 };
	int nr;

	if (kind == TPROF_SCOPE_KIND_TID)
		return attach(session_fd, TPROF_TARGET_THREAD, id);
	nr = attach(session_fd, TPROF_TARGET_PROCESS, id);
	if (nr < 0)
		return nr;
	do
		nr = attach_descendants(session_fd, id, &before);
	while (nr > 0);
	census_fini(&before);
	return nr;
}
