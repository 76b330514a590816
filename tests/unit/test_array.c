// SPDX-License-Identifier: GPL-2.0-only
/* Arrays that grow, and arrays of ranges: the innermost one that holds an address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "array.h"

static void what_is_there_stays(void **state)
{
	size_t room = 0;
	int *array = NULL;

	(void)state;
	for (size_t nr = 0; nr < 1000; nr++) {
		array = array_grow(array, nr, &room, sizeof(*array));
		assert_non_null(array);
		assert_true(room > nr);
		array[nr] = (int)nr;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(array[i], i);
	room = SIZE_MAX / 2;
	assert_null(array_grow(array, room, &room, sizeof(*array)));
	assert_int_equal(room, SIZE_MAX / 2);
	free(array);
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
		cmocka_unit_test(the_innermost_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
