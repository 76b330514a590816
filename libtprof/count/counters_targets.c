// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Counters of processes with their descendants, or of single threads.
 *
 * Threads and children that start later inherit the events of the thread that starts them. One that starts while the
 * events are being opened may do so before or after its creator got them, and would be missed or counted twice. So the
 * threads are listed before and after: if they are not the same, all events are closed, and opened again.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "counters.h"
#include "host/descendants.h"

/* A process that starts threads all the time is opened as it is after this many attempts. */
#define ATTEMPTS 20

struct thread {
	pid_t tid, pid;
	size_t target;		/* index of its target; descendants: that of the first one */
};

struct threads {
	struct thread *all;
	size_t nr, capacity;
};

static int add_thread(struct threads *threads, pid_t tid, pid_t pid, size_t target)
{
	struct thread *all = array_grow(threads->all, threads->nr, &threads->capacity, sizeof(*all));

	if (!all)
		return -ENOMEM;
	threads->all = all;
	all[threads->nr++] = (struct thread){ tid, pid, target };
	return 0;
}

/* Errors: ESRCH (the process has ended), ENOMEM, those of opendir(3). */
static int add_threads_of(struct threads *threads, pid_t pid, size_t target)
{
	char path[32];
	struct dirent *entry;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			err = add_thread(threads, tid, pid, target);
	}
	closedir(dir);
	return err;
}

static int add_process(void *ctx, pid_t pid, pid_t root)
{
	(void)root;
	return add_threads_of(ctx, pid, 0);
}

static int by_tid(const void *a, const void *b)
{
	const struct thread *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

static int list_threads(struct tprof_counters *counters, struct threads *threads)
{
	const struct targets *targets = &counters->targets;
	pid_t failed;
	int err = 0;

	threads->nr = 0;
	for (size_t i = 0; i < targets->nr && !err; i++) {
		const struct target *target = &targets->all[i];

		if (target->kind == TPROF_SCOPE_KIND_TID)
			err = add_thread(threads, target->id, -1, i);
		else
			err = add_threads_of(threads, target->id, i);
		err = err == -ESRCH ? 0 : err;
	}
	if (!err && counters->inherits)
		err = descendants_each(targets->all, targets->nr, add_process, threads, &failed);
	if (threads->nr)
		qsort(threads->all, threads->nr, sizeof(*threads->all), by_tid);
	return err;
}

static bool are_same(const struct threads *a, const struct threads *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (a->all[i].tid != b->all[i].tid)
			return false;
	return true;
}

/* The unit of a thread: the total, or that of its target. */
static size_t unit_of(const struct tprof_counters *counters, const struct thread *thread, int cpu)
{
	if (counters->per == TPROF_PER_CPU) {
		for (size_t i = 0; i < counters->nr_units; i++)
			if (counters->units[i]->shown.cpu == cpu)
				return i;
	}
	return counters->per == TPROF_PER_TOTAL || counters->per == TPROF_PER_CPU ? 0 : thread->target;
}

static int open_thread(struct tprof_counters *counters, const struct thread *thread, int cpu,
		       struct tprof_error *error)
{
	long slot = counters_add_slot(counters, thread->tid, cpu, unit_of(counters, thread, cpu));
	int err;

	if (slot < 0)
		return error_set(error, ENOMEM, "counters: not enough memory");
	err = count_slot_open(counters, &counters->slots[slot], error);
	return err == -ESRCH ? 0 : err;
}

static bool is_on_cpus(const struct tprof_counters *counters)
{
	return counters->cpus.chosen || counters->per == TPROF_PER_CPU;
}

static int open_threads(struct tprof_counters *counters, const struct threads *threads, struct tprof_error *error)
{
	int err = 0;

	for (size_t i = 0; i < threads->nr && !err; i++) {
		if (!is_on_cpus(counters))
			err = open_thread(counters, &threads->all[i], -1, error);
		for (size_t cpu = 0; is_on_cpus(counters) && cpu < counters->cpus.nr && !err; cpu++)
			err = open_thread(counters, &threads->all[i], (int)counters->cpus.ids[cpu], error);
	}
	return err;
}

static int cannot_list(int err, struct tprof_error *error)
{
	error_set(error, -err, "the threads of the processes cannot be listed: %s", strerror(-err));
	error_hint_files(error, -err);
	return err;
}

static int add_unit(struct tprof_counters *counters, const char *name, int cpu, pid_t pid, pid_t tid)
{
	const struct tprof_counter_unit shown = { .name = name, .cpu = cpu, .pid = pid, .tid = tid };

	return counters_add_unit(counters, &shown) < 0 ? -ENOMEM : 0;
}

/* The name of a thread or process, which exec and prctl(2) change. */
static void read_comm(struct tprof_counters *counters, pid_t id, char comm[PROC_COMM_LEN])
{
	struct proc_text *text = &counters->targets.text;

	comm[0] = '\0';
	if (id > 0 && !proc_read(text, "%d/comm", id))
		proc_parse_comm(text->text, comm);
}

/* A thread as a unit has the process that it has now. */
static int add_target_unit(struct tprof_counters *counters, const struct target *target)
{
	char comm[PROC_COMM_LEN];
	struct proc_status status = { .tgid = -1 };
	struct proc_text *text = &counters->targets.text;

	if (!proc_read(text, "%d/status", target->id) && proc_parse_status(text->text, &status))
		status.tgid = -1;
	if (counters->per == TPROF_PER_PROCESS) {
		read_comm(counters, status.tgid, comm);
		return add_unit(counters, comm, -1, status.tgid, -1);
	}
	read_comm(counters, target->id, comm);
	return add_unit(counters, comm, -1, status.tgid, target->id);
}

int counters_follow_targets(struct tprof_counters *counters)
{
	bool has_units = counters->per == TPROF_PER_THREAD || counters->per == TPROF_PER_PROCESS;
	char comm[PROC_COMM_LEN];
	int err = 0;

	for (size_t i = 0; has_units && i < counters->nr_units && !err; i++) {
		struct count_unit *unit = counters->units[i];

		unit->shown.ended = !target_runs(&counters->targets, i);
		if (unit->shown.ended)
			continue;
		read_comm(counters, unit->shown.tid >= 0 ? unit->shown.tid : unit->shown.pid, comm);
		if (comm[0])
			err = count_unit_rename(unit, comm);
	}
	return err;
}

static int add_units(struct tprof_counters *counters)
{
	int err = 0;

	if (counters->per == TPROF_PER_TOTAL)
		return add_unit(counters, "", -1, -1, -1);
	if (counters->per == TPROF_PER_CPU) {
		for (size_t i = 0; i < counters->cpus.nr && !err; i++)
			err = add_unit(counters, "", (int)counters->cpus.ids[i], -1, -1);
		return err;
	}
	for (size_t i = 0; i < counters->targets.nr && !err; i++)
		err = add_target_unit(counters, &counters->targets.all[i]);
	return err;
}

int counters_open_targets(struct tprof_counters *counters, struct tprof_error *error)
{
	struct threads before = { 0 }, after = { 0 };
	int err = add_units(counters), attempts = 0;

	if (err)
		return error_set(error, ENOMEM, "counters: not enough memory");
	do {
		counters_free_slots(counters);
		err = list_threads(counters, &before);
		if (err)
			cannot_list(err, error);
		else
			err = open_threads(counters, &before, error);
		if (err)
			break;
		err = list_threads(counters, &after);
		if (err)
			cannot_list(err, error);
	} while (!err && !are_same(&before, &after) && ++attempts < ATTEMPTS);
	if (attempts == ATTEMPTS)
		log_warn(&counters->log, "threads started all the time while their counters were opened: some may be "
			 "missing");
	free(before.all);
	free(after.all);
	return err;
}
