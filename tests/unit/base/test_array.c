// SPDX-License-Identifier: GPL-2.0-only
/* Growing arrays, and arrays of ranges: lookup of the innermost range that contains an address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"

static void what_is_there_stays(void **state)
{
	size_t capacity = 0;
	int *array = NULL;

	(void)state;
	for (size_t nr = 0; nr < 1000; nr++) {
		array = array_grow(array, nr, &capacity, sizeof(*array));
		assert_non_null(array);
		assert_true(capacity > nr);
		array[nr] = (int)nr;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(array[i], i);
	capacity = SIZE_MAX / 2;
	assert_null(array_grow(array, capacity, &capacity, sizeof(*array)));
	assert_int_equal(capacity, SIZE_MAX / 2);
	free(array);
}

static void reserved_and_given_back(void **state)
{
	size_t capacity = 0;
	char *array = array_reserve(NULL, 0, &capacity, 3), *same;

	(void)state;
	assert_non_null(array);
	assert_true(capacity > 0);
	/* The new capacity is the requested one, at least twice the old one. */
	array = array_reserve(array, 1000, &capacity, 3);
	assert_non_null(array);
	assert_true(capacity >= 1000);
	array[2999] = 'x';
	same = array_reserve(array, capacity, &capacity, 3);
	assert_ptr_equal(same, array);
	assert_null(array_reserve(array, SIZE_MAX / 3, &capacity, 3));
	assert_int_equal(array[2999], 'x');
	array = array_trim(array, 1000, &capacity, 3);
	assert_int_equal(capacity, 1000);
	assert_int_equal(array[2999], 'x');
	array = array_reserve(array, 1001, &capacity, 3);
	assert_true(capacity >= 2000);
	assert_ptr_equal(array_trim(array, 0, &capacity, 3), array);
	free(array);
	capacity = 0;
	assert_null(array_trim(NULL, 0, &capacity, 3));
}

struct piece {
	struct array_range at;
	int name;
};

static int find(const struct piece *pieces, size_t nr, uint64_t address)
{
	const struct piece *piece = array_find_range(pieces, nr, sizeof(*piece), address);

	return piece ? piece->name : 0;
}

static void the_innermost_is_found(void **state)
{
	struct piece pieces[] = {
		{ { 300, 400 }, 5 }, { { 120, 130 }, 3 }, { { 100, 110 }, 2 }, { { 100, 200 }, 1 }, { { 150, 160 }, 4 },
	};

	(void)state;
	array_sort_ranges(pieces, 5, sizeof(pieces[0]));
	assert_int_equal(find(pieces, 5, 99), 0);
	assert_int_equal(find(pieces, 5, 100), 2);
	assert_int_equal(find(pieces, 5, 110), 1);
	assert_int_equal(find(pieces, 5, 129), 3);
	assert_int_equal(find(pieces, 5, 130), 1);
	assert_int_equal(find(pieces, 5, 199), 1);
	assert_int_equal(find(pieces, 5, 200), 0);
	assert_int_equal(find(pieces, 5, 399), 5);
	assert_int_equal(find(pieces, 5, UINT64_MAX), 0);
	array_sort_ranges(NULL, 0, sizeof(pieces[0]));
	assert_int_equal(find(NULL, 0, 100), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_stays),
		cmocka_unit_test(reserved_and_given_back),
		cmocka_unit_test(the_innermost_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
