// SPDX-License-Identifier: GPL-2.0-only
/* Makes threads of the rows of a profile. */
#include "threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"

static const char *const sorts[] = {
#define X(NAME, name) name,
	THREADS_SORTS(X)
#undef X
};

const char *threads_sort_name(enum threads_sort sort)
{
	return sorts[sort];
}

int threads_sort_find(const char *name, enum threads_sort *sort)
{
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		if (strcmp(sorts[i], name) == 0) {
			*sort = (enum threads_sort)i;
			return 0;
		}
	}
	return -ENOENT;
}

/* A row of the table, with the members of its key. */
struct part {
	const struct tprof_row *row;
	pid_t tid, pid;
	const char *comm, *process, *state, *syscall, *waker;
};

struct parts {
	struct part *parts;
	size_t nr;
};

static void set_member(struct part *part, const struct tprof_cell *cell)
{
	if (strcmp(cell->name, "thread") == 0)
		part->tid = (pid_t)cell->number;
	else if (strcmp(cell->name, "comm") == 0)
		part->comm = cell->text;
	else if (strcmp(cell->name, "state") == 0)
		part->state = cell->text;
	else if (strcmp(cell->name, "syscall") == 0)
		part->syscall = cell->text;
	else if (strcmp(cell->name, "waker") == 0)
		part->waker = cell->text;
	else if (cell->type == TPROF_CELL_PROCESS) {
		part->pid = (pid_t)cell->number;
		part->process = cell->text;
	}
}

static int read_parts(struct parts *parts, const struct tprof_profile *profile)
{
	size_t nr = tprof_profile__nr_tables(profile) ? tprof_profile__nr_rows(profile, 0) : 0;

	parts->parts = calloc(nr ? nr : 1, sizeof(*parts->parts));
	if (!parts->parts)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		struct part *part = &parts->parts[parts->nr++];
		size_t nr_cells = tprof_profile__nr_cells(profile, 0, i);

		*part = (struct part){ .comm = "", .process = "", .state = "", .syscall = "", .waker = "" };
		part->row = tprof_profile__row(profile, 0, i);
		for (size_t c = 0; c < nr_cells; c++)
			set_member(part, tprof_profile__cell(profile, 0, i, c));
	}
	return 0;
}

static bool runs(const struct part *part)
{
	return strcmp(part->state, "running") == 0;
}

static bool is_ready(const struct part *part)
{
	return strcmp(part->state, "runnable") == 0 || strcmp(part->state, "preempted") == 0 ||
	       strcmp(part->state, "new") == 0;
}

static int by_tid(const struct part *a, const struct part *b)
{
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int same_reason(const struct part *a, const struct part *b)
{
	int order = by_tid(a, b);

	if (!order)
		order = strcmp(a->state, b->state);
	return order ? order : strcmp(a->syscall, b->syscall);
}

static int same_waker(const struct part *a, const struct part *b)
{
	int order = by_tid(a, b);

	return order ? order : strcmp(a->waker, b->waker);
}

static int by_reason(const void *a, const void *b)
{
	return same_reason(a, b);
}

static int by_waker(const void *a, const void *b)
{
	return same_waker(a, b);
}

/* Adds a row to its thread. The name and the process are those in which it spent the most time. */
static void add_part(struct thread *thread, const struct part *part, uint64_t *most)
{
	uint64_t ns = part->row->weight;

	if (!thread->comm || ns > *most) {
		*most = ns;
		thread->comm = part->comm;
		thread->process = part->process;
		thread->pid = part->pid;
	}
	if (runs(part))
		thread->running_ns += ns;
	else if (is_ready(part))
		thread->ready_ns += ns;
	else
		thread->blocked_ns += ns;
}

/* Makes threads of parts that are sorted by reason. */
static void add_up(struct threads *threads, const struct parts *parts)
{
	struct thread *thread = NULL;
	uint64_t most = 0, sum = 0;

	for (size_t i = 0; i < parts->nr; i++) {
		const struct part *part = &parts->parts[i];

		if (!thread || thread->tid != part->tid) {
			thread = &threads->threads[threads->nr++];
			thread->tid = part->tid;
			most = 0;
		}
		add_part(thread, part, &most);
		if (!i || same_reason(part, part - 1))
			sum = 0;
		sum += part->row->weight;
		if (runs(part) || is_ready(part) || sum <= thread->reason_ns)
			continue;
		thread->reason_ns = sum;
		thread->state = part->state;
		thread->syscall = part->syscall;
	}
}

/* Finds the wakers, in parts that are sorted by them. The threads have the same order. */
static void find_wakers(struct threads *threads, const struct parts *parts)
{
	struct thread *thread = threads->threads;
	uint64_t sum = 0;

	for (size_t i = 0; i < parts->nr; i++) {
		const struct part *part = &parts->parts[i];

		while (thread->tid != part->tid)
			thread++;
		if (!i || same_waker(part, part - 1))
			sum = 0;
		sum += part->row->weight;
		if (!part->waker[0] || sum <= thread->waker_ns)
			continue;
		thread->waker_ns = sum;
		thread->waker = part->waker;
	}
}

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* Equal threads are in the order of what they did most, then of their ids. */
static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct thread *a = pa, *b = pb;
	enum threads_sort sort = *(const enum threads_sort *)ctx;
	int order = 0;

	if (sort == THREADS_SORT_NAME)
		order = strcasecmp(a->comm, b->comm);
	else if (sort == THREADS_SORT_READY)
		order = more_first(a->ready_ns, b->ready_ns);
	else if (sort == THREADS_SORT_BLOCKED)
		order = more_first(a->blocked_ns, b->blocked_ns);
	if (!order && sort != THREADS_SORT_TID)
		order = more_first(a->running_ns, b->running_ns);
	if (!order && sort != THREADS_SORT_TID)
		order = more_first(a->ready_ns, b->ready_ns);
	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

static bool matches(const struct thread *thread, const struct needle *needle)
{
	return !needle || needle_is_in(needle, thread->comm) || needle_is_in(needle, thread->process) ||
	       (thread->syscall && needle_is_in(needle, thread->syscall)) ||
	       (thread->state && needle_is_in(needle, thread->state)) ||
	       (thread->waker && needle_is_in(needle, thread->waker));
}

static void keep(struct threads *threads, const struct needle *needle)
{
	size_t nr = 0;

	threads->nr_all = threads->nr;
	for (size_t i = 0; i < threads->nr; i++) {
		if (matches(&threads->threads[i], needle))
			threads->threads[nr++] = threads->threads[i];
	}
	threads->nr = nr;
}

int threads_fill(struct threads *threads, const struct tprof_profile *profile, enum threads_sort sort,
		 const struct needle *needle)
{
	struct parts parts = { 0 };
	int err = read_parts(&parts, profile);

	threads_free(threads);
	if (err)
		return err;
	threads->duration_ns = tprof_profile__duration_ns(profile);
	threads->threads = calloc(parts.nr ? parts.nr : 1, sizeof(*threads->threads));
	if (threads->threads) {
		qsort(parts.parts, parts.nr, sizeof(*parts.parts), by_reason);
		add_up(threads, &parts);
		qsort(parts.parts, parts.nr, sizeof(*parts.parts), by_waker);
		find_wakers(threads, &parts);
		keep(threads, needle);
		qsort_r(threads->threads, threads->nr, sizeof(*threads->threads), compare, &sort);
	}
	free(parts.parts);
	return threads->threads ? 0 : -ENOMEM;
}

void threads_free(struct threads *threads)
{
	free(threads->threads);
	*threads = (struct threads){ 0 };
}

double threads_percent(const struct threads *threads, uint64_t ns)
{
	return threads->duration_ns ? 100.0 * (double)ns / (double)threads->duration_ns : 0;
}

const char *thread_name(const struct thread *thread, char *text, size_t size)
{
	snprintf(text, size, "%s (%d)", thread->comm, (int)thread->tid);
	return text;
}

const char *thread_reason(const struct thread *thread, char *text, size_t size)
{
	bool in_syscall = thread->syscall && thread->syscall[0] && thread->syscall[0] != '[';

	snprintf(text, size, "%s%s%s", thread->state ? thread->state : "", in_syscall ? " in " : "",
		 in_syscall ? thread->syscall : "");
	return text;
}
