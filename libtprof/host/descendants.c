// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Finds the descendants of processes in /proc. */
#include "descendants.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "proc.h"

struct census {
	struct parentage *processes;
	size_t nr, capacity;
	struct proc_text text;
};

/* The process has exited or is hidden from this user (hidepid=1). */
static bool is_unseen(int err)
{
	return err == -ENOENT || err == -ESRCH || err == -EPERM || err == -EACCES;
}

/* Skips exited processes: no exit event will follow, and their ids can be reused. */
static int count(void *ctx, pid_t pid)
{
	struct census *census = ctx;
	struct parentage *grown;
	struct proc_stat stat;
	int err = proc_read(&census->text, "%d/stat", pid);

	if (err || proc_parse_stat(census->text.text, &stat))
		return is_unseen(err) ? 0 : err;
	if (proc_stat_is_dead(&stat))
		return 0;
	grown = array_grow(census->processes, census->nr, &census->capacity, sizeof(*grown));
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
	/* A child can have a lower pid than its parent after pids wrap around. */
	do {
		more = false;
		for (size_t i = 0; i < nr; i++) {
			const struct parentage *parent;

			if (processes[i].descends)
				continue;
			parent = find(processes, nr, processes[i].parent);
			processes[i].descends = parent && (parent->given || parent->descends);
			if (processes[i].descends)
				processes[i].root = parent->given ? parent->pid : parent->root;
			more |= processes[i].descends;
		}
	} while (more);
}

static void census_fini(struct census *census)
{
	proc_text_fini(&census->text);
	free(census->processes);
}

/* Adds the descendants that are in @now and were not in @before. Returns their number, or -errno. */
static int add_new(const struct census *now, const struct census *before,
		   int (*add)(void *ctx, pid_t pid, pid_t root), void *ctx, pid_t *failed)
{
	int nr = 0;

	for (size_t i = 0; i < now->nr; i++) {
		const struct parentage *process = &now->processes[i];
		int err;

		if (!process->descends || process->given ||
		    parentage_descends(before->processes, before->nr, process->pid))
			continue;
		err = add(ctx, process->pid, process->root);
		if (err && err != -ESRCH) {
			*failed = process->pid;
			return err;
		}
		nr++;
	}
	return nr;
}

/* A descendant can fork between being found and being added. The next scan finds its child. */
int descendants_each(const struct target *targets, size_t nr, int (*add)(void *ctx, pid_t pid, pid_t root),
		     void *ctx, pid_t *failed)
{
	struct census before = { 0 };
	int more;

	*failed = targets[0].id;
	do {
		struct census now = { 0 };

		more = proc_each_process(count, &now);
		if (!more) {
			parentage_mark(now.processes, now.nr, targets, nr);
			more = add_new(&now, &before, add, ctx, failed);
		}
		census_fini(&before);
		before = now;
	} while (more > 0);
	census_fini(&before);
	return more;
}
