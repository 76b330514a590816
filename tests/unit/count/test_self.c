// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the calling thread: faults exactly, differences, errors, and the page that the kernel maps. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../../../libtprof/count/self.c"
#include "faults.h"

#define PAGES 64
/* The calls around the pages cause a few faults; the shadow memory of the sanitizer has a byte for eight. */
#ifdef __SANITIZE_ADDRESS__
#define MORE_FAULTS (3 + PAGES / 8)
#else
#define MORE_FAULTS 3
#endif

static struct tprof_self *open_events(const char *const *events, size_t nr)
{
	struct tprof_error error = { 0 };
	TPROF_OPTS(tprof_self_opts, opts, .events = events, .nr_events = nr);
	struct tprof_self *self = tprof_self__open(&opts, &error);

	if (!self && errno == EPERM)
		skip();
	if (!self)
		fail_msg("%s", error.text);
	return self;
}

static void *read_elsewhere(void *self)
{
	uint64_t values[TPROF_SELF_MAX_EVENTS];

	fault_pages(PAGES);
	return (void *)(intptr_t)tprof_self__read(self, values);
}

static void differences(void **state)
{
	const char *const events[] = { "page-faults", "task-clock" };
	struct tprof_self *self = open_events(events, 2);
	uint64_t before[2], after[2];
	pthread_t thread;
	void *err;

	(void)state;
	assert_int_equal(tprof_self__nr_events(self), 2);
	assert_string_equal(tprof_self__event(self, 1), "task-clock");
	assert_null(tprof_self__event(self, 2));
	/* Software events have no counter that user space can read. */
	assert_false(tprof_self__is_direct(self));
	assert_int_equal(tprof_self__read(self, before), 0);
	fault_pages(PAGES);
	assert_int_equal(tprof_self__read(self, after), 0);
	assert_in_range(after[0] - before[0], PAGES, PAGES + MORE_FAULTS);
	assert_true(after[1] > before[1]);
	assert_int_equal(tprof_self__read(self, before), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_elsewhere, self), 0);
	assert_int_equal(pthread_join(thread, &err), 0);
	assert_int_equal((intptr_t)err, -EINVAL);
	assert_int_equal(tprof_self__read(self, after), 0);
	/* The faults of the other thread are not counted; those of starting it are. */
	assert_true(after[0] - before[0] < PAGES / 2);
	tprof_self__close(self);
	tprof_self__close(NULL);
}

static void defaults(void **state)
{
	struct tprof_error error = { 0 };
	struct tprof_self *self = tprof_self__open(NULL, &error);
	uint64_t before[TPROF_SELF_MAX_EVENTS], after[TPROF_SELF_MAX_EVENTS];
	int err;

	(void)state;
	if (!self && errno == EPERM)
		skip();
	if (!self)
		fail_msg("%s", error.text);
	assert_string_equal(error.text, "");
	/* EAGAIN: others use all counters. */
	err = tprof_self__read(self, before);
	assert_true(!err || err == -EAGAIN);
	fault_pages(PAGES);
	err = tprof_self__read(self, after);
	assert_true(!err || err == -EAGAIN);
	assert_true(after[0] > before[0]);
	tprof_self__close(self);
}

static void *open_here(void *unused)
{
	const char *const events[] = { "page-faults" };

	(void)unused;
	return open_events(events, 1);
}

/* The second thread has the same pthread_t as the first, which has ended. */
/* Context switches are counted although the kernel is left out; without privileges they are refused. */
static void switches_are_real(void **state)
{
	const char *const events[] = { "context-switches", "task-clock:uk" };
	struct tprof_self *self = open_events(events, 2);
	uint64_t before[2], after[2];

	(void)state;
	assert_int_equal(tprof_self__read(self, before), 0);
	usleep(1000);
	assert_int_equal(tprof_self__read(self, after), 0);
	assert_true(after[0] > before[0]);
	tprof_self__close(self);
}

/* A PMU that counts all modes only, on x86-64. */
static void the_kernel_cannot_be_left_out(void **state)
{
	const char *const events[] = { "msr/tsc/" };
	struct tprof_error error = { 0 };
	TPROF_OPTS(tprof_self_opts, opts, .events = events, .nr_events = 1);

	(void)state;
	if (access("/sys/bus/event_source/devices/msr/events/tsc", F_OK))
		skip();
	assert_null(tprof_self__open(&opts, &error));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_non_null(strstr(error.text, "cannot leave out the kernel"));
	assert_non_null(strstr(error.hint, "set kernel"));
}

static void other_threads_and_processes(void **state)
{
	const char *const events[] = { "page-faults" };
	uint64_t values[TPROF_SELF_MAX_EVENTS];
	struct tprof_self *self = open_events(events, 1);
	pthread_t thread;
	void *opened, *err;
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		status = tprof_self__read(self, values) == -EINVAL ? 0 : 1;
		tprof_self__close(self);
		_exit(status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(tprof_self__read(self, values), 0);
	tprof_self__close(self);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(pthread_create(&thread, NULL, open_here, NULL), 0);
		assert_int_equal(pthread_join(thread, &opened), 0);
		assert_int_equal(pthread_create(&thread, NULL, read_elsewhere, opened), 0);
		assert_int_equal(pthread_join(thread, &err), 0);
		assert_int_equal((intptr_t)err, -EINVAL);
		tprof_self__close(opened);
	}
}

static void refuse_events(const char *const *events, size_t nr, int err, const char *why)
{
	struct tprof_error error = { 0 };
	TPROF_OPTS(tprof_self_opts, opts, .events = events, .nr_events = nr);

	assert_null(tprof_self__open(&opts, &error));
	if (errno != err || !strstr(error.text, why))
		fail_msg("%d: %s, wanted %d: %s", errno, error.text, err, why);
}

static void errors(void **state)
{
	const char *const unknown[] = { "nothing" }, *const place[] = { "kprobe:do_exit" }, *const null[] = { NULL };
	const char *const clock[] = { "task-clock:k" }, *const switches[] = { "cs:u" };
	const char *const both[] = { "page-faults", "kprobe:do_exit" };

	(void)state;
	refuse_events(unknown, 1, ENOENT, "there is no event of this name");
	refuse_events(place, 1, EOPNOTSUPP, "this machine does not have it");
	refuse_events(both, 2, EINVAL, "cannot be counted together with page-faults");
	refuse_events(clock, 1, EINVAL, "a clock counts the time in all modes");
	refuse_events(switches, 1, EINVAL, "it occurs in the kernel only");
	refuse_events(null, 1, EINVAL, "events[0] is NULL");
	refuse_events(NULL, 1, EINVAL, "events is NULL");
	refuse_events(unknown, 9, E2BIG, "at most 8");
}

/* Without a counter at this moment, or with one for a part of the time, the page is not the whole value. */
static void pages(void **state)
{
	struct perf_event_mmap_page page = { .offset = 1234, .time_enabled = 10, .time_running = 10 };
	uint64_t value = 0;

	(void)state;
	assert_false(read_page(&page, &value));
	assert_int_equal(value, 1234);
	page.index = 1;
	assert_true(read_page(&page, &value));
	page.time_running = 9;
	assert_false(read_page(&page, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences),
		cmocka_unit_test(switches_are_real),
		cmocka_unit_test(the_kernel_cannot_be_left_out),
		cmocka_unit_test(other_threads_and_processes),
		cmocka_unit_test(defaults),
		cmocka_unit_test(errors),
		cmocka_unit_test(pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
