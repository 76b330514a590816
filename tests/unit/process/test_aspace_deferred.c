// SPDX-License-Identifier: GPL-2.0-only
/* More processes than a scan reads: the older ones are read when they are looked up or fork. */
#include <stddef.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aspace_fixture.h"
#include "base/clock.h"

/* Less than usual: other tests that run at the same time should not find so many processes that theirs are deferred. */
#define SCAN_MAX 200

/* The test is older than these. */
#define NR_CHILDREN (SCAN_MAX + 50)

static pid_t children[NR_CHILDREN];

static int start_children(void **state)
{
	(void)state;
	for (int i = 0; i < NR_CHILDREN; i++) {
		children[i] = fork();
		if (children[i] < 0)
			return -1;
		if (!children[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	return 0;
}

static int end_children(void **state)
{
	(void)state;
	for (int i = 0; i < NR_CHILDREN && children[i] > 0; i++)
		kill(children[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}

static uint64_t own_ip(void)
{
	return (uint64_t)(uintptr_t)own_ip;
}

/* The scan reads the youngest processes; a lookup reads an older one. */
static void test_lookup(void **state)
{
	size_t nr;

	(void)state;
	assert_in_range(aspaces_scan(aspaces), SCAN_MAX / 2, SCAN_MAX);
	nr = aspaces_nr_images(aspaces);
	assert_in_range(nr, SCAN_MAX / 2, SCAN_MAX);
	assert_non_null(aspaces_find(aspaces, children[NR_CHILDREN - 1], 0, own_ip()));
	assert_int_equal(aspaces_nr_images(aspaces), nr);
	assert_non_null(aspaces_find(aspaces, getpid(), 0, own_ip()));
	assert_int_equal(aspaces_nr_images(aspaces), nr + 1);
	assert_string_equal(aspaces_process_name(aspaces, getpid(), 0), "test_aspace_def");
}

/* The child of a process that was not read has its mappings, although the child has ended. */
static void test_fork(void **state)
{
	uint64_t now_ns = clock_now_ns();

	(void)state;
	assert_true(aspaces_scan(aspaces) > 0);
	aspaces_fork(aspaces, getpid(), CHILD, now_ns);
	aspaces_fork(aspaces, getpid(), SHELL, now_ns + 2);
	aspaces_exit(aspaces, CHILD, now_ns + 3);
	assert_non_null(aspaces_find(aspaces, CHILD, 0, own_ip()));
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "test_aspace_def");
}

/* But not if the parent has mapped something between the fork and the reading: that may be what was read. */
static void test_parent_maps(void **state)
{
	uint64_t now_ns = clock_now_ns();

	(void)state;
	assert_true(aspaces_scan(aspaces) > 0);
	map(getpid(), 0x1000000, 0x1000, 0, "/lib/before", now_ns - 1);
	aspaces_fork(aspaces, getpid(), CHILD, now_ns);
	assert_non_null(aspaces_find(aspaces, CHILD, 0, own_ip()));
	map(getpid(), 0x2000000, 0x1000, 0, "/lib/after", now_ns + 1);
	assert_null(aspaces_find(aspaces, CHILD, 0, own_ip()));
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "test_aspace_def");
	assert_non_null(aspaces_find(aspaces, getpid(), 0, own_ip()));
}

/* A process that ended before it was read is not mistaken for the next one with its id. */
static void test_reuse(void **state)
{
	(void)state;
	assert_true(aspaces_scan(aspaces) > 0);
	aspaces_exit(aspaces, SHELL, 50);
	shell();
	expect(SHELL, 0x1000, 0x1000010, "/bin/shell", 0x1000000, 0);
	assert_null(aspaces_find(aspaces, SHELL, 0x777, 0x1000010));
	for (int i = 0; i < 2; i++)
		aspaces_age(aspaces);
	expect(SHELL, 0x777, 0x1000010, "/bin/shell", 0x1000000, 0);
}

/* After lost events, nothing that is known of an older process is certain, except its name. */
static void test_scan_again(void **state)
{
	(void)state;
	assert_non_null(aspaces_find(aspaces, getpid(), 0, own_ip()));
	map(getpid(), 0x1000000, 0x1000, 0, "/lib/outdated", clock_now_ns());
	expect(getpid(), 0, 0x1000010, "/lib/outdated", 0x1000000, 0);
	aspaces_age(aspaces);
	assert_true(aspaces_scan(aspaces) > 0);
	assert_null(aspaces_find(aspaces, getpid(), 0, 0x1000010));
	assert_non_null(aspaces_find(aspaces, getpid(), 0, own_ip()));
}

static int setup_few(void **state)
{
	int err = setup(state);

	if (!err)
		aspaces_set_scan_max(aspaces, SCAN_MAX);
	return err;
}

#define FEW(name) cmocka_unit_test_setup_teardown(name, setup_few, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FEW(test_lookup),
		FEW(test_fork),
		FEW(test_parent_maps),
		FEW(test_reuse),
		FEW(test_scan_again),
	};

	return cmocka_run_group_tests(tests, start_children, end_children);
}
