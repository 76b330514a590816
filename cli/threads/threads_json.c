// SPDX-License-Identifier: GPL-2.0-only
/* Threads as JSON, according to docs/tprof-threads.schema.json: the summary of the library, and the threads. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_profile.h"
#include "threads.h"

/* A time, and its share of the interval. */
static json_t *part(const struct threads *threads, uint64_t ns)
{
	return json_pack("{so so}", "ns", json_of_count(ns), "percent",
			 json_of_decimal(threads_percent(threads, ns), 1000));
}

/* The process without its id. */
static json_t *process_name(const char *process)
{
	const char *id = strstr(process, " (");
	char name[256];

	for (const char *next = id; next; next = strstr(next + 1, " ("))
		id = next;
	snprintf(name, sizeof(name), "%.*s", id ? (int)(id - process) : (int)strlen(process), process);
	return json_of_text(name);
}

static json_t *reason(const struct thread *thread)
{
	bool in_syscall = thread->syscall && thread->syscall[0] && thread->syscall[0] != '[';

	if (!thread->state)
		return json_null();
	return json_pack("{so so so}", "state", json_of_text(thread->state), "syscall",
			 json_of_text(in_syscall ? thread->syscall : NULL), "ns", json_of_count(thread->reason_ns));
}

static json_t *waker(const struct thread *thread)
{
	if (!thread->waker)
		return json_null();
	return json_pack("{so so}", "name", json_of_text(thread->waker), "ns", json_of_count(thread->waker_ns));
}

static json_t *row(const struct threads *threads, const struct thread *thread)
{
	return json_pack("{so si so si so so so so so}", "thread", json_of_text(thread->comm), "tid", (int)thread->tid,
			 "process", process_name(thread->process), "pid", (int)thread->pid,
			 "running", part(threads, thread->running_ns), "ready", part(threads, thread->ready_ns),
			 "blocked", part(threads, thread->blocked_ns), "reason", reason(thread),
			 "waker", waker(thread));
}

int threads_write_json(const struct tprof_profile *profile, enum threads_sort sort, uint64_t limit)
{
	char *summary = json_profile_summary(profile);
	struct threads threads = { 0 };
	int err = summary ? threads_fill(&threads, profile, sort, NULL) : -errno;
	size_t shown = limit && limit < threads.nr ? limit : threads.nr;

	if (!err)
		printf("{%s,\"threads\":[", summary);
	for (size_t i = 0; i < shown && !err; i++) {
		if (i)
			putchar(',');
		putchar('{');
		err = json_print_members(row(&threads, &threads.threads[i]));
		putchar('}');
	}
	if (!err)
		printf("],\"omitted\":%zu}\n", threads.nr - shown);
	free(summary);
	threads_free(&threads);
	if (err)
		return err;
	return fflush(stdout) || ferror(stdout) ? -errno : 0;
}
