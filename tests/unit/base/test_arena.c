// SPDX-License-Identifier: GPL-2.0-only
/* Memory that is taken in pieces: they are aligned, do not overlap, and need few allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

#define NR 10000

/* The linker redirects the calls of the library to this function (--wrap). */
void *__wrap_malloc(size_t size);
void *__real_malloc(size_t size);

static size_t nr_allocations;

void *__wrap_malloc(size_t size)
{
	nr_allocations++;
	return __real_malloc(size);
}

static void pieces_of_all_sizes(void **state)
{
	static unsigned char *pieces[NR];
	struct arena arena = { 0 };

	(void)state;
	for (int again = 0; again < 2; again++) {
		nr_allocations = 0;
		for (size_t i = 0; i < NR; i++) {
			pieces[i] = arena_take(&arena, i % 300);
			assert_non_null(pieces[i]);
			assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
			memset(pieces[i], (int)(i % 251), i % 300);
		}
		assert_true(nr_allocations < NR / 100);
		for (size_t i = 0; i < NR; i++)
			for (size_t byte = 0; byte < i % 300; byte++)
				assert_int_equal(pieces[i][byte], i % 251);
		arena_free(&arena);
	}
}

static void more_than_a_block(void **state)
{
	struct arena arena = { 0 };
	char *large = arena_take(&arena, 1000000), *small = arena_take(&arena, 1);

	(void)state;
	assert_non_null(large);
	memset(large, 1, 1000000);
	assert_true(small >= large + 1000000 || small < large);
	assert_null(arena_take(&arena, SIZE_MAX));
	arena_free(&arena);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_of_all_sizes),
		cmocka_unit_test(more_than_a_block),
	};

	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
