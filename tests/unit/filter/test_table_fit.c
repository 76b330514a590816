// SPDX-License-Identifier: GPL-2.0-only
/* Stack tables have the capacity of the filter at usual rates, more at higher ones, and a limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filter/table.h"

#define STACK_BYTES 1024

static void usual_rates(void **state)
{
	(void)state;
	assert_int_equal(table_entries_for(4096, STACK_BYTES, 0), 4096);
	assert_int_equal(table_entries_for(4096, STACK_BYTES, 2 * 999), 4096);
	assert_int_equal(table_entries_for(4096, STACK_BYTES, 10000), 4096);
	assert_int_equal(table_entries_for(4, STACK_BYTES, 2 * 999), 4);
}

/* All stacks of 100 ms fit, if each sample has two of its own. */
static void high_rates(void **state)
{
	(void)state;
	for (uint64_t rate = 10001; rate <= 80000; rate += 1000)
		assert_true(table_entries_for(4096, STACK_BYTES, rate) >= 2 * rate / 10);
	assert_int_equal(table_entries_for(4096, STACK_BYTES, 40000), 4 * 4096);
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(table_entries_for(4096, STACK_BYTES, UINT64_MAX), 8 * 4096);
	assert_int_equal(table_entries_for(4096, 8 * STACK_BYTES, UINT64_MAX), 4096);
	assert_int_equal(table_entries_for(UINT32_MAX, STACK_BYTES, UINT64_MAX), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_rates),
		cmocka_unit_test(high_rates),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests_name("table_fit", tests, NULL, NULL);
}
