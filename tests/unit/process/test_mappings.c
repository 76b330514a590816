// SPDX-License-Identifier: GPL-2.0-only
/* Sets of mappings that images share: compared with a plain list of pages, and with limited cost for any input. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <errno.h>
#include <cmocka.h>

#include "process/mappings.h"

#define PAGE 0x1000ULL
#define NR_PAGES 200
#define NR_SETS 6

static struct mappings_pool pool;
static struct mappings *sets[NR_SETS];

static int setup(void **state)
{
	(void)state;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < NR_SETS; i++) {
		mappings_put(&pool, sets[i]);
		sets[i] = NULL;
	}
	return pool.nr != 0;
}

static int insert(int set, uint64_t first, uint64_t nr, uint64_t pgoff, uintptr_t dso)
{
	struct mapping mapping = {
		.start = first * PAGE, .end = (first + nr) * PAGE, .pgoff = pgoff, .dso = (struct dso *)dso,
	};

	return mappings_insert(&pool, &sets[set], &mapping);
}

/* The mapping of a page: the file and the offset. */
struct page {
	uintptr_t dso;
	uint64_t offset;
};

static void check_set(int set, const struct page *pages)
{
	uint32_t nr = 0;

	for (uint64_t i = 0; i < NR_PAGES; i++) {
		const struct mapping *mapping = mappings_find(sets[set], i * PAGE + 5);
		const struct page *before = i ? &pages[i - 1] : NULL, *page = &pages[i];

		assert_int_equal(mapping != NULL, page->dso != 0);
		assert_int_equal(mappings_have_page(sets[set], (uint32_t)i), page->dso != 0);
		if (!mapping)
			continue;
		assert_int_equal((uintptr_t)mapping->dso, page->dso);
		assert_int_equal(i * PAGE - mapping->start + mapping->pgoff, page->offset);
		nr += !before || before->dso != page->dso || before->offset + PAGE != page->offset;
	}
	/* Contiguous mappings are merged. */
	assert_int_equal(mappings_nr(sets[set]), nr);
}

static void check_first(int set, const struct page *pages)
{
	for (uint64_t from = 0; from < NR_PAGES; from += 7) {
		for (uint64_t to = from; to <= NR_PAGES; to += 11) {
			const struct mapping *first = mappings_first(sets[set], from * PAGE, to * PAGE);
			uint64_t i = from;

			while (i < to && !pages[i].dso)
				i++;
			assert_int_equal(first != NULL, i < to);
			if (first)
				assert_true(first->start <= i * PAGE && i * PAGE < first->end);
		}
	}
}

/* Sets are shared, changed and shared again, with few files, so that mappings are often contiguous. */
static void test_against_pages(void **state)
{
	static struct page pages[NR_SETS][NR_PAGES];

	(void)state;
	srand(1);
	for (int round = 0; round < 20000; round++) {
		int set = rand() % NR_SETS, from = rand() % NR_SETS;
		uint64_t first = (uint64_t)rand() % NR_PAGES;
		uint64_t nr = 1 + (uint64_t)rand() % (rand() % 8 ? 4 : NR_PAGES - first);
		uintptr_t dso = 1 + (uintptr_t)rand() % 3;
		uint64_t pgoff = rand() % 2 ? first * PAGE : (uint64_t)rand() % 8 * PAGE;

		if (rand() % 16 == 0 && set != from) {
			mappings_put(&pool, sets[set]);
			sets[set] = mappings_ref(sets[from]);
			for (int i = 0; i < NR_PAGES; i++)
				pages[set][i] = pages[from][i];
			assert_true(mappings_same_ranges(sets[set], sets[from]));
			continue;
		}
		nr = first + nr > NR_PAGES ? NR_PAGES - first : nr;
		assert_int_equal(insert(set, first, nr, pgoff, dso), 0);
		for (uint64_t i = 0; i < nr; i++)
			pages[set][first + i] = (struct page){ .dso = dso, .offset = pgoff + i * PAGE };
		if (round % 10 == 0) {
			check_set(set, pages[set]);
			check_set(from, pages[from]);
		}
		if (round % 500 == 0)
			check_first(set, pages[set]);
	}
}

/*
 * Many small mappings, a fork, and one mapping over all of them in the child: the result is smaller than the shared
 * set.
 */
static void test_one_over_all_that_are_shared(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 400; i++)
		assert_int_equal(insert(0, 2 * i, 1, 0, 1), 0);
	sets[1] = mappings_ref(sets[0]);
	assert_int_equal(insert(1, 0, 800, 0, 2), 0);
	assert_int_equal(mappings_nr(sets[0]), 400);
	assert_int_equal(mappings_nr(sets[1]), 1);
	assert_int_equal(pool.nr, 401);
}

static void test_pieces(void **state)
{
	const struct mapping *mapping;

	(void)state;
	assert_int_equal(insert(0, 5, 0, 0, 1), -EINVAL);
	assert_null(sets[0]);
	assert_int_equal(insert(0, 0, 100, 0x50000, 1), 0);
	assert_int_equal(insert(0, 40, 10, 0, 2), 0);
	assert_int_equal(mappings_nr(sets[0]), 3);
	mapping = mappings_find(sets[0], 50 * PAGE);
	assert_int_equal(mapping->start, 50 * PAGE);
	assert_int_equal(mapping->pgoff, 0x50000 + 50 * PAGE);
	/* Restored to its original state, it is merged again. */
	assert_int_equal(insert(0, 40, 10, 0x50000 + 40 * PAGE, 1), 0);
	assert_int_equal(mappings_nr(sets[0]), 1);
	assert_null(mappings_find(sets[0], 100 * PAGE));
}

/* A page number has 32 bits, so addresses with the same number are 16 TiB apart. */
static void test_page_numbers(void **state)
{
	(void)state;
	for (uint64_t high = 0; high < 1ULL << 52; high += 1ULL << 40)
		assert_int_equal(insert(0, high + (high >> 30), 1, high, 1), 0);
	assert_int_equal(insert(0, 0xffffffffff600, 1, 0, 2), 0);
	for (uint64_t high = 0; high < 1ULL << 52; high += 1ULL << 40)
		assert_true(mappings_have_page(sets[0], (uint32_t)(high >> 30)));
	assert_true(mappings_have_page(sets[0], 0xffffff600 & UINT32_MAX));
	assert_false(mappings_have_page(sets[0], 1));
	assert_false(mappings_have_page(sets[0], UINT32_MAX));
	assert_false(mappings_have_page(NULL, 0));
}

/* A process may have the default maximum of the kernel; beyond it, its set is emptied, and others do not change. */
static void test_too_many(void **state)
{
	int err = 0;

	(void)state;
	assert_int_equal(insert(1, 1, 1, 0, 1), 0);
	for (uint64_t i = 0; i < MAPPINGS_MAX; i++)
		err |= insert(0, 2 * i, 1, 0, 1);
	assert_int_equal(err, 0);
	assert_int_equal(mappings_nr(sets[0]), MAPPINGS_MAX);
	assert_int_equal(insert(0, 2 * MAPPINGS_MAX, 1, 0, 1), -E2BIG);
	assert_null(sets[0]);
	assert_int_equal(pool.nr, 1);
}

/* At the limit of all sets together, large sets cannot grow, and small ones can. */
static void test_too_many_together(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < MAPPINGS_FEW; i++)
		assert_int_equal(insert(0, 2 * i, 1, 0, 1), 0);
	pool.nr += MAPPINGS_MAX_TOTAL;
	assert_int_equal(insert(1, 0, 1, 0, 1), 0);
	assert_int_equal(insert(0, 2 * MAPPINGS_FEW, 1, 0, 1), -E2BIG);
	assert_null(sets[0]);
	pool.nr -= MAPPINGS_MAX_TOTAL;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#define MANY 60000ULL

/* Returns the shortest of several measured times. */
static uint64_t fill_ns(uint64_t (*place)(uint64_t i))
{
	uint64_t best = UINT64_MAX;

	for (int try = 0; try < 3; try++) {
		uint64_t start = cpu_ns(), took;

		for (uint64_t i = 0; i < MANY; i++)
			assert_int_equal(insert(0, 2 * place(i), 1, 0, 1), 0);
		took = cpu_ns() - start;
		best = took < best ? took : best;
		mappings_put(&pool, sets[0]);
		sets[0] = NULL;
	}
	return best;
}

static uint64_t upwards(uint64_t i)
{
	return i;
}

/* Downwards, as mmap() allocates. */
static uint64_t downwards(uint64_t i)
{
	return MANY - i;
}

/* Scattered: 24989 and 60000 have no common factor. */
static uint64_t anywhere(uint64_t i)
{
	return i * 24989 % MANY;
}

/* A sorted array would be 12 times slower downwards than upwards. Cache misses make the scattered order slower. */
static void test_any_order_takes_the_same_time(void **state)
{
	uint64_t up = fill_ns(upwards), down = fill_ns(downwards), any = fill_ns(anywhere);

	(void)state;
	print_message("# downwards %.2f, anywhere %.2f of upwards\n", (double)down / (double)up,
		      (double)any / (double)up);
	assert_true(down < 3 * up);
	assert_true(any < 8 * up);
}

/* Changing one of 60,000 mappings that a fork shares copies a few times as many nodes as the tree is deep. */
static void test_a_change_of_what_is_shared_is_small(void **state)
{
	size_t before;

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		assert_int_equal(insert(0, 2 * i, 1, 0, 1), 0);
	for (uint64_t at = 0; at < 2 * MANY; at += 4999) {
		sets[1] = mappings_ref(sets[0]);
		before = pool.nr;
		assert_int_equal(insert(1, at, 1, 0, 2), 0);
		assert_true(pool.nr - before < 4 * 39);
		mappings_put(&pool, sets[1]);
		sets[1] = NULL;
		assert_int_equal(pool.nr, before);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_against_pages),
		TEST(test_one_over_all_that_are_shared),
		TEST(test_pieces),
		TEST(test_page_numbers),
		TEST(test_too_many),
		TEST(test_too_many_together),
		TEST(test_any_order_takes_the_same_time),
		TEST(test_a_change_of_what_is_shared_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
