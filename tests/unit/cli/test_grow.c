// SPDX-License-Identifier: GPL-2.0-only
/* Growing arrays of the command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../cli/base/grow.c"

/* A volatile pointer, so that the compiler cannot see that the function calls realloc(), as in other files. */
static void *(*volatile grow)(void *array, size_t nr, size_t *capacity, size_t size) = grow_array;

static void the_capacity_exceeds_the_number(void **state)
{
	size_t capacity = 0;
	int *array = NULL;

	(void)state;
	for (size_t nr = 0; nr < 1000; nr++) {
		array = grow(array, nr, &capacity, sizeof(*array));
		assert_non_null(array);
		assert_true(capacity > nr);
		array[nr] = (int)nr;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(array[i], i);
	free(array);
}

/* Grows to more than twice the size. */
static void many_at_once(void **state)
{
	size_t capacity = 0;
	char *array = grow(NULL, 1000, &capacity, 1);

	(void)state;
	assert_non_null(array);
	assert_true(capacity > 1000);
	memset(array, 1, 1001);
	array = grow(array, 5 * capacity, &capacity, 1);
	assert_non_null(array);
	assert_true(capacity > 5000);
	assert_int_equal(array[1000], 1);
	array[5000] = 1;
	free(array);
}

static void no_memory_changes_nothing(void **state)
{
	size_t capacity = 0, before;
	char *array = grow(NULL, 10, &capacity, 1);

	(void)state;
	before = capacity;
	array[10] = 1;
	assert_null(grow(array, SIZE_MAX / 2 - 1, &capacity, 16));
	assert_null(grow(array, SIZE_MAX, &capacity, 1));
	assert_int_equal(capacity, before);
	assert_int_equal(array[10], 1);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_capacity_exceeds_the_number),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(no_memory_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
