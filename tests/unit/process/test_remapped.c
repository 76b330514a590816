// SPDX-License-Identifier: GPL-2.0-only
/* Mappings over mappings: the resulting mappings, and addresses that are ambiguous for a while. */
#include "aspace_fixture.h"

#include <stdlib.h>

/* Waits until earlier samples have been symbolized. */
static void settle(void)
{
	aspaces_age(aspaces);
	aspaces_age(aspaces);
}

static void test_overlap(void **state)
{
	(void)state;
	shell();
	/* A mapping in the middle leaves three pieces. */
	map(SHELL, 0x1001000, 0x1000, 0x9000, "/bin/x", 102);
	settle();
	expect(SHELL, 0, 0x1000fff, "/bin/shell", 0x1000000, 0);
	expect(SHELL, 0, 0x1001000, "/bin/x", 0x1001000, 0x9000);
	expect(SHELL, 0, 0x1001fff, "/bin/x", 0x1001000, 0x9000);
	expect(SHELL, 0, 0x1002000, "/bin/shell", 0x1002000, 0x2000);
	/* A mapping over the end of one and the start of the next. */
	map(SHELL, 0x1000800, 0x1000, 0, "/bin/y", 103);
	settle();
	expect(SHELL, 0, 0x10007ff, "/bin/shell", 0x1000000, 0);
	expect(SHELL, 0, 0x1000800, "/bin/y", 0x1000800, 0);
	expect(SHELL, 0, 0x1001800, "/bin/x", 0x1001800, 0x9800);
	/* A mapping over all, and beyond. */
	map(SHELL, 0xfff000, 0x8000, 0, "/bin/z", 104);
	settle();
	expect(SHELL, 0, 0xfff000, "/bin/z", 0xfff000, 0);
	expect(SHELL, 0, 0x1003000, "/bin/z", 0xfff000, 0);
	assert_null(aspaces_find(aspaces, SHELL, 0, 0x1007000));
	assert_null(aspaces_find(aspaces, SHELL, 0, 0xffefff));
}

/* The mappings of 64 pages, with which random mappings are compared. */
struct page {
	int file, pgoff;		/* file -1: nothing */
	int changed;			/* the age at which other code was mapped */
};

/* @settled: nothing has changed recently, so all addresses must be known. */
static void expect_pages(const struct page *pages, const char *const *paths, int age, bool settled)
{
	for (uint64_t i = 0; i < 64; i++) {
		const struct mapping *mapping = aspaces_find(aspaces, SHELL, 0, i << 12);
		const struct page *page = &pages[i];

		if (page->file < 0 || age - page->changed < 2)
			assert_null(mapping);
		else if (settled)
			assert_non_null(mapping);
		if (!mapping)
			continue;
		assert_string_equal(dso_path(mapping->dso), paths[page->file]);
		assert_int_equal((i << 12) - mapping->start + mapping->pgoff, page->pgoff << 12);
	}
}

static void change_pages(struct page *pages, int nr, int file, int pgoff, int age)
{
	for (int i = 0; i < nr; i++) {
		bool other = pages[i].file >= 0 && (pages[i].file != file || pages[i].pgoff != pgoff + i);

		pages[i] = (struct page){ file, pgoff + i, other ? age : pages[i].changed };
	}
}

static void test_overlap_random(void **state)
{
	static const char *const paths[] = { "/bin/a", "/bin/b", "/bin/c" };
	struct page pages[64];
	int age = 0;

	(void)state;
	for (int i = 0; i < 64; i++)
		pages[i] = (struct page){ .file = -1, .changed = -2 };
	srand(1);
	aspaces_exec(aspaces, SHELL, "random", 1);
	for (uint64_t round = 2; round < 2000; round++) {
		int first = rand() % 64, nr = 1 + rand() % (64 - first);
		int file = rand() % 3, pgoff = rand() % 4;

		nr = nr > 9 ? 9 : nr;
		map(SHELL, (uint64_t)first << 12, (uint64_t)nr << 12, (uint64_t)pgoff << 12, paths[file],
		    round);
		change_pages(&pages[first], nr, file, pgoff, age);
		expect_pages(pages, paths, age, false);
		if (rand() % 4)
			continue;
		settle();
		age += 2;
		expect_pages(pages, paths, age, true);
	}
}

/* dlopen, dlclose and dlopen of another library: addresses of that time are ambiguous. */
static void test_another_file_in_the_same_place(void **state)
{
	(void)state;
	shell();
	map(SHELL, 0x2000000, 0x3000, 0, "/lib/a", 102);
	expect(SHELL, 0, 0x2001000, "/lib/a", 0x2000000, 0);
	map(SHELL, 0x2001000, 0x4000, 0, "/lib/b", 103);
	aspaces_fork(aspaces, SHELL, CHILD, 104);
	for (int i = 0; i < 2; i++) {
		expect(SHELL, 0, 0x2000fff, "/lib/a", 0x2000000, 0);
		assert_null(aspaces_find(aspaces, SHELL, 0, 0x2001000));
		assert_null(aspaces_find(aspaces, SHELL, 0x1000, 0x2002fff));
		expect(SHELL, 0, 0x2003000, "/lib/b", 0x2001000, 0);
		expect(SHELL, 0, 0x1000000, "/bin/shell", 0x1000000, 0);
		/* A process that is forked later never had the other library. */
		expect(CHILD, 0, 0x2001000, "/lib/b", 0x2001000, 0);
		aspaces_age(aspaces);
	}
	expect(SHELL, 0, 0x2001000, "/lib/b", 0x2001000, 0);
	expect(SHELL, 0x1000, 0x2002fff, "/lib/b", 0x2001000, 0);
}

static bool is_known_after(uint64_t pgoff, const char *path)
{
	map(SHELL, 0x2000000, 0x3000, pgoff, path, 103);
	return aspaces_find(aspaces, SHELL, 0, 0x2000000);
}

static void test_what_counts_as_other_code(void **state)
{
	(void)state;
	shell();
	assert_true(is_known_after(0, "/lib/a"));
	assert_true(is_known_after(0, "/lib/a"));
	assert_false(is_known_after(0x1000, "/lib/a"));
	settle();
	assert_false(is_known_after(0x2000000, "//anon"));
	settle();
	/* JIT compilers replace their own memory; /proc has another offset than records. */
	assert_true(is_known_after(0x2000000, "//anon"));
	assert_true(is_known_after(0, "[heap]"));
	assert_false(is_known_after(0, "/lib/a"));
	settle();
	/* The dynamic loader maps segments over its mapping of the whole file. */
	map(SHELL, 0x2001000, 0x1000, 0x1000, "/lib/a", 104);
	expect(SHELL, 0, 0x2001000, "/lib/a", 0x2000000, 0);
}

/* More places than are stored separately: addresses between them may be unknown, but none outside. */
static void test_other_code_in_many_places(void **state)
{
	(void)state;
	shell();
	for (uint64_t i = 0; i < 100; i++)
		map(SHELL, 0x2000000 + (i << 16), 0x1000, 0, "/lib/a", 102);
	for (uint64_t i = 0; i < 100; i++)
		map(SHELL, 0x2000000 + (i << 16), 0x1000, 0, "/lib/b", 103);
	for (uint64_t i = 0; i < 100; i++)
		assert_null(aspaces_find(aspaces, SHELL, 0, 0x2000000 + (i << 16)));
	expect(SHELL, 0, 0x1000000, "/bin/shell", 0x1000000, 0);
	settle();
	for (uint64_t i = 0; i < 100; i++)
		expect(SHELL, 0, 0x2000000 + (i << 16), "/lib/b", 0x2000000 + (i << 16), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_overlap),
		TEST(test_overlap_random),
		TEST(test_another_file_in_the_same_place),
		TEST(test_what_counts_as_other_code),
		TEST(test_other_code_in_many_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
