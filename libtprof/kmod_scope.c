// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Processes and threads that a session of the module samples. */
#include "kmod_scope.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "kmod_device.h"
#include "proc.h"

struct census {
	struct parentage *processes;
	size_t nr, room;
	struct proc_text text;
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
	int err = proc_read(&census->text, "%d/stat", pid);

	if (err || proc_parse_stat(census->text.text, &stat))
		return err == -ENOENT || err == -ESRCH ? 0 : err;
	grown = array_grow(census->processes, census->nr, &census->room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	census->processes = grown;
	grown[census->nr++] = (struct parentage){ .pid = pid, .parent = stat.ppid };
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct parentage *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

static struct parentage *find(const struct parentage *processes, size_t nr, pid_t pid)
{
	const struct parentage wanted = { .pid = pid };

	return nr ? bsearch(&wanted, processes, nr, sizeof(wanted), by_pid) : NULL;
}

bool parentage_descends(const struct parentage *processes, size_t nr, pid_t pid)
{
	const struct parentage *found = find(processes, nr, pid);

	return found && found->descends;
}

static void mark_given(struct parentage *processes, size_t nr, const struct target *targets, size_t nr_targets)
{
	for (size_t i = 0; i < nr_targets; i++) {
		struct parentage *process = find(processes, nr, targets[i].id);

		if (process && targets[i].kind == TPROF_SCOPE_KIND_TGID)
			process->given = true;
	}
}

void parentage_mark(struct parentage *processes, size_t nr, const struct target *targets, size_t nr_targets)
{
	bool more;

	if (nr)
		qsort(processes, nr, sizeof(*processes), by_pid);
	mark_given(processes, nr, targets, nr_targets);
	/* A child may have a lower number than its parent: numbers start again from below. */
	do {
		more = false;
		for (size_t i = 0; i < nr; i++) {
			const struct parentage *parent;

			if (processes[i].descends)
				continue;
			parent = find(processes, nr, processes[i].parent);
			processes[i].descends = parent && (parent->given || parent->descends);
			more |= processes[i].descends;
		}
	} while (more);
}

static void census_fini(struct census *census)
{
	proc_text_fini(&census->text);
	free(census->processes);
}

/* Attaches the descendants that the census shows and the one before did not. Returns how many these are, or -errno. */
static int attach_new(int session_fd, const struct census *now, const struct census *before, pid_t *failed)
{
	int nr = 0;

	for (size_t i = 0; i < now->nr; i++) {
		const struct parentage *process = &now->processes[i];
		int err;

		if (!process->descends || process->given ||
		    parentage_descends(before->processes, before->nr, process->pid))
			continue;
		err = attach(session_fd, TPROF_TARGET_PROCESS, process->pid);
		if (err && err != -ESRCH) {
			*failed = process->pid;
			return err;
		}
		nr++;
	}
	return nr;
}

/*
 * A descendant may have forked between being seen and being attached; its child is seen at the next look. Whoever is
 * attached is followed by the module, so it ends when a look finds nobody else.
 */
static int attach_descendants(int session_fd, const struct target *targets, size_t nr, pid_t *failed)
{
	struct census before = { 0 };
	int more;

	*failed = targets[0].id;
	do {
		struct census now = { 0 };

		more = proc_each_process(count, &now);
		if (!more) {
			parentage_mark(now.processes, now.nr, targets, nr);
			more = attach_new(session_fd, &now, &before, failed);
		}
		census_fini(&before);
		before = now;
	} while (more > 0);
	census_fini(&before);
	return more;
}

int kmod_scope_add(int session_fd, const struct target *targets, size_t nr, pid_t *failed)
{
	bool processes = false;

	for (size_t i = 0; i < nr; i++) {
		bool process = targets[i].kind == TPROF_SCOPE_KIND_TGID;
		int err = attach(session_fd, process ? TPROF_TARGET_PROCESS : TPROF_TARGET_THREAD, targets[i].id);

		if (err) {
			*failed = targets[i].id;
			return err;
		}
		processes |= process;
	}
	return processes ? attach_descendants(session_fd, targets, nr, failed) : 0;
}
