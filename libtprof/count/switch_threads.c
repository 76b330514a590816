// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Counting at context switches: the threads that exist from the start. Those that never run while they are counted are
 * units, too. Threads that start later are units once they have run.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/descendants.h"
#include "switch_state.h"

struct adding {
	struct tprof_counters *counters;
	struct switch_count *count;
};

static int add_thread(const struct adding *adding, pid_t pid, pid_t tid)
{
	struct proc_text *text = &adding->counters->targets.text;
	char comm[PROC_COMM_LEN] = "";
	const struct tprof_counter_unit shown = { .name = comm, .cpu = -1, .pid = pid, .tid = tid };

	/* A process that is a target and a descendant of another one. */
	if (hash_find(&adding->count->units, (uint64_t)tid))
		return 0;
	/* It has ended. */
	if (proc_read(text, "%d/task/%d/comm", pid, tid))
		return 0;
	proc_parse_comm(text->text, comm);
	return switch_state_add_unit(adding->counters, adding->count, (uint64_t)tid, &shown);
}

/* A process that has ended has no threads. */
static int add_threads(void *ctx, pid_t pid, pid_t root)
{
	const struct adding *adding = ctx;
	struct dirent *entry;
	char path[32];
	int err = 0;
	DIR *dir;

	(void)root;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!err && adding->counters->nr_units < TPROF_COUNTERS_MAX_UNITS && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			err = add_thread(adding, pid, tid);
	}
	closedir(dir);
	return err;
}

int switch_state_add_threads(struct tprof_counters *counters, struct switch_count *count)
{
	const struct targets *targets = &counters->targets;
	struct adding adding = { counters, count };
	pid_t failed;
	int err = 0;

	for (size_t i = 0; i < targets->nr && !err; i++)
		err = add_threads(&adding, targets->all[i].id, targets->all[i].id);
	return err ? err : descendants_each(targets->all, targets->nr, add_threads, &adding, &failed);
}
