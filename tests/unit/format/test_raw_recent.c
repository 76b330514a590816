// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the writer of a raw recording remembers within a reading: it saves lookups, and never gives the number of
 * another frame, string or task.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/raw_recent.h"
#include "format/raw_write.h"

#define NR_FRAMES	40
#define NR_STACKS	1000
#define DEPTH		20

static unsigned long nr_lookups;

/* The linker redirects the calls of the writer to this function (--wrap). */
int64_t __wrap_raw_numbers_find(struct raw_numbers *numbers, const void *definition, size_t size, bool *is_new);
int64_t __real_raw_numbers_find(struct raw_numbers *numbers, const void *definition, size_t size, bool *is_new);

int64_t __wrap_raw_numbers_find(struct raw_numbers *numbers, const void *definition, size_t size, bool *is_new)
{
	nr_lookups++;
	return __real_raw_numbers_find(numbers, definition, size, is_new);
}

/* Call stacks that differ, of the same functions and threads. */
static void a_reading_takes_few_lookups(void **state)
{
	const struct tprof_raw_sample sample = { .comm = "app", .thread = "worker", .cgroup = "/a", .pid = 7, .tid = 8,
						 .samples = 1, .weight = 1 };
	static char names[NR_FRAMES][8];
	static struct tprof_frame frames[NR_FRAMES];
	const struct tprof_frame *stack[DEPTH];
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct raw_writer *writer = raw_writer_new(fd);

	(void)state;
	assert_non_null(writer);
	for (size_t i = 0; i < NR_FRAMES; i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		frames[i] = (struct tprof_frame){ .symbol = names[i], .object = "app", .path = "/bin/app",
						  .build_id = "1234", .address = i, .mode = TPROF_MODE_USER };
	}
	for (size_t i = 0; i < NR_STACKS; i++) {
		for (size_t at = 0; at < DEPTH; at++)
			stack[at] = &frames[2 * at + (i >> at & 1)];
		assert_int_equal(raw_writer_call_stack(writer, stack, DEPTH), i);
		assert_int_equal(raw_writer_add(writer, &sample, (uint32_t)i), 0);
	}
	/* Some frames may share a place. Without the places, there are six lookups for each frame. */
	assert_true(nr_lookups < DEPTH * NR_STACKS);
	raw_writer_free(writer);
	close(fd);
}

static void only_the_same_frame_has_its_number(void **state)
{
	static struct tprof_frame frames[5000];
	struct raw_recent *recent = raw_recent_new();
	size_t found = 0;

	(void)state;
	assert_non_null(recent);
	for (size_t i = 0; i < 5000; i++) {
		frames[i] = (struct tprof_frame){ .symbol = "f", .object = "app", .address = i };
		assert_int_equal(raw_recent_frame(recent, &frames[i]), -1);
		raw_recent_keep_frame(recent, &frames[i], (int64_t)i);
		assert_int_equal(raw_recent_frame(recent, &frames[i]), i);
	}
	for (size_t i = 0; i < 5000; i++) {
		int64_t number = raw_recent_frame(recent, &frames[i]);

		assert_true(number == -1 || number == (int64_t)i);
		found += number >= 0;
	}
	assert_true(found > 100);
	/* Another frame at the address, and none that has no number */
	frames[4999].line = 1;
	assert_int_equal(raw_recent_frame(recent, &frames[4999]), -1);
	raw_recent_keep_frame(recent, &frames[4999], -1);
	assert_int_equal(raw_recent_frame(recent, &frames[4999]), -1);
	frames[4999].line = 0;
	assert_int_equal(raw_recent_frame(recent, &frames[4999]), 4999);
	raw_recent_forget(recent);
	assert_int_equal(raw_recent_frame(recent, &frames[4999]), -1);
	raw_recent_free(recent);
}

static void strings_until_they_are_forgotten(void **state)
{
	struct raw_recent *recent = raw_recent_new();
	const char text[] = "f";

	(void)state;
	assert_non_null(recent);
	assert_int_equal(raw_recent_string(recent, text), -1);
	assert_int_equal(raw_recent_string(recent, NULL), -1);
	raw_recent_keep_string(recent, text, 3);
	assert_int_equal(raw_recent_string(recent, text), 3);
	raw_recent_keep_string(recent, NULL, 0);
	assert_int_equal(raw_recent_string(recent, NULL), 0);
	raw_recent_forget(recent);
	assert_int_equal(raw_recent_string(recent, text), -1);
	raw_recent_free(recent);
}

/* By content, as the name of a thread may change at any time. */
static void tasks_by_content(void **state)
{
	char thread[] = "worker", cgroup[100];
	struct tprof_raw_sample sample = { .comm = "app", .thread = thread, .cgroup = NULL, .pid = 7, .tid = 8 };
	struct raw_recent *recent = raw_recent_new();

	(void)state;
	assert_non_null(recent);
	raw_recent_keep_task(recent, &sample, 5);
	assert_int_equal(raw_recent_task(recent, &sample), 5);
	thread[0] = 'W';
	assert_int_equal(raw_recent_task(recent, &sample), -1);
	thread[0] = 'w';
	sample.tid = 8 + 128;
	assert_int_equal(raw_recent_task(recent, &sample), -1);
	sample.tid = 8;
	sample.pid = 8;
	assert_int_equal(raw_recent_task(recent, &sample), -1);
	sample.pid = 7;
	sample.cgroup = "";
	assert_int_equal(raw_recent_task(recent, &sample), 5);
	/* One that is too long is not kept. */
	memset(cgroup, 'c', sizeof(cgroup));
	cgroup[sizeof(cgroup) - 1] = '\0';
	sample.cgroup = cgroup;
	raw_recent_keep_task(recent, &sample, 6);
	assert_int_equal(raw_recent_task(recent, &sample), -1);
	raw_recent_free(recent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reading_takes_few_lookups),
		cmocka_unit_test(only_the_same_frame_has_its_number),
		cmocka_unit_test(strings_until_they_are_forgotten),
		cmocka_unit_test(tasks_by_content),
	};

	return cmocka_run_group_tests_name("raw_recent", tests, NULL, NULL);
}
