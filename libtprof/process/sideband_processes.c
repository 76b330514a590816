// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Side-band records in order of time: updates the address spaces and calls the listener. */
#include "sideband_processes.h"

#include <stdlib.h>

#include "base/array.h"

void sideband_processes_fini(struct sideband_processes *processes)
{
	proc_text_fini(&processes->text);
	free(processes->leaving);
}

/* The end of processes ----------------------------------------------------------------------------------- */

static void process_ended(struct sideband_processes *processes, pid_t tgid, uint64_t time_ns)
{
	aspaces_exit(processes->aspaces, tgid, time_ns);
	if (processes->listener.exited)
		processes->listener.exited(processes->listener.ctx, tgid);
}

/* The event is in the past, so /proc shows the outcome: usually the process is gone. */
static bool process_goes_on(struct sideband_processes *processes, pid_t tgid)
{
	struct proc_stat stat;

	return !proc_read(&processes->text, "%d/stat", tgid) && !proc_parse_stat(processes->text.text, &stat) &&
	       !proc_stat_is_dead(&stat);
}

/* The first thread has exited, either while others run, or because another one calls exec and takes its place. */
static void leader_exited(struct sideband_processes *processes, pid_t tgid, uint64_t time_ns)
{
	struct sideband_leaving *leaving = processes->leaving;

	if (!process_goes_on(processes, tgid))
		return process_ended(processes, tgid, time_ns);
	leaving = array_grow(leaving, processes->nr_leaving, &processes->leaving_capacity, sizeof(*leaving));
	if (!leaving)
		return process_ended(processes, tgid, time_ns);
	processes->leaving = leaving;
	leaving[processes->nr_leaving++] = (struct sideband_leaving){ .tgid = tgid, .time_ns = time_ns };
}

/* Removes a process from the list. Returns whether it was there. */
static bool leaving_take(struct sideband_processes *processes, pid_t tgid, struct sideband_leaving *leaving)
{
	for (size_t i = 0; i < processes->nr_leaving; i++) {
		if (processes->leaving[i].tgid != tgid)
			continue;
		*leaving = processes->leaving[i];
		processes->leaving[i] = processes->leaving[--processes->nr_leaving];
		return true;
	}
	return false;
}

void sideband_processes_check(struct sideband_processes *processes, uint64_t now_ns)
{
	for (size_t i = processes->nr_leaving; i-- > 0;) {
		struct sideband_leaving leaving = processes->leaving[i];

		if (process_goes_on(processes, leaving.tgid))
			continue;
		processes->leaving[i] = processes->leaving[--processes->nr_leaving];
		process_ended(processes, leaving.tgid, now_ns);
	}
}

/* Records ------------------------------------------------------------------------------------------------ */

static void handle_fork(struct sideband_processes *processes, const struct sideband_record *record)
{
	struct sideband_leaving leaving;

	/* The id was reused, so the previous process has ended. */
	if (leaving_take(processes, record->pid, &leaving))
		process_ended(processes, leaving.tgid, leaving.time_ns);
	aspaces_fork(processes->aspaces, record->ppid, record->pid, record->time_ns);
	if (processes->listener.forked)
		processes->listener.forked(processes->listener.ctx, record->ppid, record->pid);
}

static void handle_exec(struct sideband_processes *processes, const struct sideband_record *record)
{
	struct sideband_leaving leaving;

	leaving_take(processes, record->pid, &leaving);
	aspaces_exec(processes->aspaces, record->pid, record->comm, record->time_ns);
}

void sideband_processes_handle(struct sideband_processes *processes, const struct sideband_record *record)
{
	struct aspaces *aspaces = processes->aspaces;
	const struct sideband_listener *listener = &processes->listener;

	if (record->kind == SIDEBAND_PROGRAM) {
		if (listener->program)
			listener->program(listener->ctx, record->comm, record->start, record->length, record->gone);
		return;
	}
	/* -1: a task that is not visible in our pid namespace. */
	if (record->kind != SIDEBAND_LOST && (record->pid <= 0 || record->tid <= 0))
		return;
	switch (record->kind) {
	case SIDEBAND_FORK:
		return handle_fork(processes, record);
	case SIDEBAND_THREAD:
		return aspaces_thread_fork(aspaces, record->pid, record->ptid, record->tid);
	case SIDEBAND_EXIT:
		if (record->tid == record->pid)
			return leader_exited(processes, record->pid, record->time_ns);
		return aspaces_exit(aspaces, record->tid, record->time_ns);
	case SIDEBAND_EXEC:
		return handle_exec(processes, record);
	case SIDEBAND_COMM:
		return aspaces_comm(aspaces, record->pid, record->tid, record->comm);
	case SIDEBAND_MMAP:
		return aspaces_mmap(aspaces, record->pid, record->start, record->length, record->pgoff,
				    &record->id, record->time_ns);
	case SIDEBAND_LOST:
	case SIDEBAND_PROGRAM:
	case SIDEBAND_OTHER:
		return;
	}
}
