// SPDX-License-Identifier: GPL-2.0-only
/* Threads of a profile of the filter `reasons`: their times, reasons and wakers, their order, and many of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../../cli/base/needle.c"
#include "../../../cli/threads/threads.c"
#include "profile/profile.h"

#define NR_CELLS 6

/* Adds the time of a thread in a state. Each combination has a key of its own. */
static void add(struct tprof_profile *profile, uint64_t tid, const char *state, const char *syscall, const char *waker,
		uint64_t ns)
{
	char key[128], name[32];
	const struct tprof_cell cells[NR_CELLS] = {
		{ .name = "comm", .type = TPROF_CELL_TEXT, .text = name, .object = "" },
		{ .name = "waker", .type = TPROF_CELL_TEXT, .text = waker, .object = "" },
		{ .name = "process", .type = TPROF_CELL_PROCESS, .number = 7, .text = "prog (7)", .object = "" },
		{ .name = "thread", .type = TPROF_CELL_THREAD, .number = tid, .text = "", .object = "" },
		{ .name = "state", .type = TPROF_CELL_UNSIGNED, .text = state, .object = "" },
		{ .name = "syscall", .type = TPROF_CELL_SIGNED, .text = syscall, .object = "" },
	};
	const struct tprof_row row = { .key = key, .value = "", .samples = 1, .weight = ns };

	snprintf(name, sizeof(name), "%s%d", tid % 2 ? "odd" : "Even", (int)(tid % 7));
	snprintf(key, sizeof(key), "%d %s %s %s", (int)tid, state, syscall, waker);
	assert_int_equal(profile_add_row(profile, 0, &row, cells, NR_CELLS), 0);
}

static struct tprof_profile *profile_with_table(void)
{
	struct tprof_profile *profile = profile_new();

	assert_int_equal(profile_add_table(profile, "reasons"), 0);
	return profile;
}

#define NONE "[no system call]"

static void adds_up(void **state)
{
	struct tprof_profile *profile = profile_with_table();
	struct threads threads = { 0 };
	const struct thread *thread;
	char text[64];

	(void)state;
	add(profile, 3, "sleeping", "futex", "lock", 40);
	add(profile, 3, "sleeping", "futex", "[irq]", 30);
	add(profile, 3, "sleeping", "read", "pipe", 60);
	add(profile, 3, "iowait", "read", "[irq]", 35);
	add(profile, 3, "running", NONE, "", 500);
	add(profile, 3, "preempted", NONE, "", 7);
	add(profile, 3, "runnable", NONE, "", 2);
	add(profile, 3, "new", NONE, "", 1);
	add(profile, 4, "idle", NONE, "", 100);
	profile_finish(profile);
	assert_int_equal(threads_fill(&threads, profile, THREADS_SORT_RUNNING, NULL), 0);
	assert_int_equal(threads.nr, 2);
	thread = &threads.threads[0];
	assert_int_equal(thread->tid, 3);
	assert_int_equal(thread->pid, 7);
	assert_string_equal(thread->process, "prog (7)");
	assert_int_equal(thread->running_ns, 500);
	assert_int_equal(thread->ready_ns, 10);
	assert_int_equal(thread->blocked_ns, 165);
	/* 70 in futex, and 65 by the interrupt, in all: more than the largest row of each. */
	assert_string_equal(thread_reason(thread, text, sizeof(text)), "sleeping in futex");
	assert_int_equal(thread->reason_ns, 70);
	assert_string_equal(thread->waker, "[irq]");
	assert_int_equal(thread->waker_ns, 65);
	assert_string_equal(thread_reason(&threads.threads[1], text, sizeof(text)), "idle");
	assert_null(threads.threads[1].waker);
	threads_free(&threads);
	tprof_profile__free(profile);
}

static void nothing(void **state)
{
	struct tprof_profile *profile = profile_with_table(), *without = profile_new();
	struct threads threads = { 0 };

	(void)state;
	profile_finish(profile);
	profile_finish(without);
	assert_int_equal(threads_fill(&threads, profile, THREADS_SORT_NAME, NULL), 0);
	assert_int_equal(threads.nr, 0);
	assert_int_equal(threads_fill(&threads, without, THREADS_SORT_NAME, NULL), 0);
	assert_int_equal(threads.nr, 0);
	assert_true(threads_percent(&threads, 5) == 0);
	threads_free(&threads);
	tprof_profile__free(profile);
	tprof_profile__free(without);
}

static bool in_order(const struct thread *a, const struct thread *b, enum threads_sort sort)
{
	switch (sort) {
	case THREADS_SORT_RUNNING:
		return a->running_ns >= b->running_ns;
	case THREADS_SORT_READY:
		return a->ready_ns >= b->ready_ns;
	case THREADS_SORT_BLOCKED:
		return a->blocked_ns >= b->blocked_ns;
	case THREADS_SORT_NAME:
		return strcasecmp(a->comm, b->comm) <= 0;
	default:
		return a->tid < b->tid;
	}
}

/* Also that each is found once, whatever the order of the rows. */
static void many(void **state)
{
	enum { NR = 10000 };
	struct tprof_profile *profile = profile_with_table();
	struct threads threads = { 0 };
	struct needle needle = { .text = "even4" };
	uint64_t sum = 0;

	(void)state;
	for (uint64_t i = 0; i < NR; i++) {
		uint64_t tid = 1 + i * 7919 % NR;

		add(profile, tid, "running", NONE, "", tid * 31 % 1000);
		add(profile, tid, "runnable", NONE, "", tid * 37 % 100);
		add(profile, tid, "sleeping", "futex", "other", 1000 + tid % 13);
		sum += tid * 31 % 1000 + tid * 37 % 100 + 1000 + tid % 13;
	}
	profile_finish(profile);
	for (int sort = 0; sort < THREADS_NR_SORTS; sort++) {
		uint64_t found = 0;

		assert_int_equal(threads_fill(&threads, profile, (enum threads_sort)sort, NULL), 0);
		assert_int_equal(threads.nr, NR);
		for (size_t i = 0; i < threads.nr; i++) {
			const struct thread *thread = &threads.threads[i];

			found += thread->running_ns + thread->ready_ns + thread->blocked_ns;
			assert_true(i == 0 || in_order(thread - 1, thread, (enum threads_sort)sort));
		}
		assert_int_equal(found, sum);
	}
	assert_int_equal(threads_fill(&threads, profile, THREADS_SORT_TID, &needle), 0);
	assert_int_equal(threads.nr_all, NR);
	assert_true(threads.nr > 0 && threads.nr < NR);
	assert_string_equal(threads.threads[0].comm, "Even4");
	threads_free(&threads);
	tprof_profile__free(profile);
}

static void names_of_sorts(void **state)
{
	enum threads_sort found;

	(void)state;
	for (int sort = 0; sort < THREADS_NR_SORTS; sort++) {
		assert_int_equal(threads_sort_find(threads_sort_name((enum threads_sort)sort), &found), 0);
		assert_int_equal(found, sort);
	}
	assert_int_equal(threads_sort_find("size", &found), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up), cmocka_unit_test(nothing), cmocka_unit_test(many),
		cmocka_unit_test(names_of_sorts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
