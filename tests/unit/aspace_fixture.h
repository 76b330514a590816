/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces with events from the test. The PIDs are larger than the largest PID of the kernel (2^22), so they
 * never exist in /proc.
 */
#ifndef TPROF_TESTS_ASPACE_FIXTURE_H
#define TPROF_TESTS_ASPACE_FIXTURE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/types.h>
#include <cmocka.h>

#include "process/aspace.h"

#define SHELL 5000000
#define CHILD 5000001

static struct dsos *dsos;
static struct aspaces *aspaces;

static int setup(void **state)
{
	(void)state;
	dsos = dsos_new(NULL);
	aspaces = aspaces_new(dsos, NULL);
	return dsos && aspaces ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	aspaces_free(aspaces);
	dsos_free(dsos);
	return 0;
}

static void map(pid_t tgid, uint64_t start, uint64_t length, uint64_t pgoff, const char *path,
		uint64_t time_ns)
{
	struct dso_id id = { .path = path, .maj = 7, .min = 7, .ino = 1000 + (uint64_t)path[5] };

	aspaces_mmap(aspaces, tgid, start, length, pgoff, &id, time_ns);
}

static void expect(pid_t tgid, uint32_t exec_id, uint64_t ip, const char *path, uint64_t start,
		   uint64_t pgoff)
{
	const struct mapping *mapping = aspaces_find(aspaces, tgid, exec_id, ip);

	assert_non_null(mapping);
	assert_string_equal(dso_path(mapping->dso), path);
	assert_int_equal(mapping->start, start);
	assert_int_equal(mapping->pgoff, pgoff);
	assert_true(mapping->start <= ip && ip < mapping->end);
}

/* A shell at 0x1000000, executed at time 100. */
static void shell(void)
{
	aspaces_exec(aspaces, SHELL, "shell", 100);
	map(SHELL, 0x1000000, 0x4000, 0, "/bin/shell", 101);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
