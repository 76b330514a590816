// SPDX-License-Identifier: GPL-2.0-only
/* The images of a process that executes programs: which of them a sample belongs to. */
#include "aspace_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "file_id.h"

static void test_exec_replaces(void **state)
{
	(void)state;
	shell();
	aspaces_fork(aspaces, SHELL, CHILD, 200);
	aspaces_exec(aspaces, CHILD, "tool", 300);
	map(CHILD, 0x7000000, 0x2000, 0x1000, "/bin/tool", 301);
	expect(CHILD, 0, 0x7000000, "/bin/tool", 0x7000000, 0x1000);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0), "tool");
	/* The exec_id selects the previous image, by the page of its text ... */
	expect(CHILD, 0x1000, 0x1000000, "/bin/shell", 0x1000000, 0);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0x1000), "shell");
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0x7001), "tool");
	/* ... and an address is never looked up in the wrong image. */
	assert_null(aspaces_find(aspaces, CHILD, 0x7000, 0x1000000));
	assert_null(aspaces_find(aspaces, CHILD, 0x1000, 0x7000000));
	/* No image has this exec_id: the newest image with the address is used. */
	expect(CHILD, 0x9999, 0x1000000, "/bin/shell", 0x1000000, 0);
	assert_string_equal(aspaces_process_name(aspaces, CHILD, 0x9999), "tool");
}

/* Two images with text at the same page: an address is ambiguous until the older image is dropped. */
static void test_exec_of_the_same_addresses(void **state)
{
	(void)state;
	shell();
	map(SHELL, 0x3000000, 0x1000, 0, "/lib/shell", 102);
	aspaces_exec(aspaces, SHELL, "other", 200);
	map(SHELL, 0x1000000, 0x8000, 0, "/bin/other", 201);
	map(SHELL, 0x5000000, 0x1000, 0, "/lib/other", 202);
	for (int i = 0; i < 2; i++) {
		assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x1000000));
		assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x1004000));
		assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x3000000));
		assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x5000000));
		assert_null(aspaces_process_name(aspaces, SHELL, 0x1000));
		/* Only the newer image has this page. */
		expect(SHELL, 0x1004, 0x1000000, "/bin/other", 0x1000000, 0);
		assert_string_equal(aspaces_process_name(aspaces, SHELL, 0x1004), "other");
		aspaces_age(aspaces);
	}
	expect(SHELL, 0x1000, 0x1000000, "/bin/other", 0x1000000, 0);
	expect(SHELL, 0x1000, 0x5000000, "/lib/other", 0x5000000, 0);
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0x1000), "other");
}

/* A program executes itself again: addresses with the same mapping in both images are not ambiguous. */
static void test_exec_of_the_same_program(void **state)
{
	(void)state;
	shell();
	map(SHELL, 0x3000000, 0x2000, 0x1000, "/lib/shell", 102);
	map(SHELL, 0x4000000, 0x1000, 0x4000000, "//anon", 103);
	aspaces_exec(aspaces, SHELL, "shell", 200);
	map(SHELL, 0x1000000, 0x4000, 0, "/bin/shell", 201);
	map(SHELL, 0x3001000, 0x2000, 0x2000, "/lib/shell", 202);
	map(SHELL, 0x4000000, 0x1000, 0x4000000, "//anon", 203);
	expect(SHELL, 0x1000, 0x1000010, "/bin/shell", 0x1000000, 0);
	expect(SHELL, 0x1000, 0x3001000, "/lib/shell", 0x3001000, 0x2000);
	assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x3000000));
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0x1000), "shell");
	/* Anonymous memory at the same address is not the same mapping. */
	assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x4000000));
	/* Nor is another offset of the same file. */
	aspaces_exec(aspaces, SHELL, "shell", 300);
	map(SHELL, 0x1000000, 0x4000, 0x1000, "/bin/shell", 301);
	assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x1000010));
}

/* Records have the inode generation, /proc does not: two identities of one file. */
static void test_exec_of_a_program_with_two_identities(void **state)
{
	uint64_t here = (uint64_t)(uintptr_t)test_exec_of_a_program_with_two_identities;
	const struct mapping *mapping = aspaces_find(aspaces, getpid(), 0, here);
	uint64_t start, length, pgoff;
	struct dso_id id;

	(void)state;
	assert_non_null(mapping);
	start = mapping->start;
	length = mapping->end - mapping->start;
	pgoff = mapping->pgoff;
	id = file_id("/proc/self/exe");
	id.path = dso_path(mapping->dso);
	id.has_generation = true;
	aspaces_exec(aspaces, getpid(), "again", UINT64_MAX);
	aspaces_mmap(aspaces, getpid(), start, length, pgoff, &id, UINT64_MAX);
	mapping = aspaces_find(aspaces, getpid(), (uint32_t)(start >> 12), here);
	assert_non_null(mapping);
	assert_string_equal(dso_name(mapping->dso), program_invocation_short_name);
}

static void test_exec_id_has_32_bits(void **state)
{
	(void)state;
	aspaces_exec(aspaces, SHELL, "high", 100);
	map(SHELL, 0x7ffffffffe000, 0x4000, 0, "/bin/high", 101);
	aspaces_exec(aspaces, SHELL, "low", 200);
	map(SHELL, 0x400000, 0x1000, 0, "/bin/low", 201);
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0xfffffffe), "high");
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0xffffffff), "high");
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0x00000001), "high");
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0x00000002), "low");
}

/* A process executes many programs: the number of kept images is limited, and no address has a wrong name. */
static void test_many_programs(void **state)
{
	uint64_t time_ns = 200;

	(void)state;
	shell();
	map(SHELL, 0x100000, 0x1000, 0, "/lib/everywhere", 102);
	for (uint64_t i = 0; i < 10000; i++) {
		aspaces_exec(aspaces, SHELL, i % 2 ? "odd" : "even", time_ns++);
		map(SHELL, 0x10000000 + (i << 12), 0x1000, 0, i % 2 ? "/bin/odd" : "/bin/even", time_ns++);
		map(SHELL, 0x100000, 0x1000, 0, i % 2 ? "/lib/odd" : "/lib/even", time_ns++);
	}
	assert_true(aspaces_nr_images(aspaces) <= 64);
	/* The sample may be from any of the programs. */
	assert_null(aspaces_find(aspaces, SHELL, 0x10000, 0x100000));
	assert_null(aspaces_process_name(aspaces, SHELL, 0x10000));
	aspaces_age(aspaces);
	assert_null(aspaces_find(aspaces, SHELL, 0x10000, 0x100000));
	aspaces_age(aspaces);
	expect(SHELL, 0x10000 + 9999, 0x100000, "/lib/odd", 0x100000, 0);
	assert_string_equal(aspaces_process_name(aspaces, SHELL, 0x10000 + 9999), "odd");
	assert_int_equal(aspaces_nr_images(aspaces), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_exec_replaces),
		TEST(test_exec_of_the_same_addresses),
		TEST(test_exec_of_the_same_program),
		TEST(test_exec_of_a_program_with_two_identities),
		TEST(test_exec_id_has_32_bits),
		TEST(test_many_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
