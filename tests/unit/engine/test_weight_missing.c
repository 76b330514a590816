// SPDX-License-Identifier: GPL-2.0-only
/* The part of a counter that no sample represents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/weight_missing.h"

static void nothing_missing(void **state)
{
	struct weight_missing missing = { 0 };

	(void)state;
	weight_missing_update(&missing, 1000, 1000, 100, 1);
	/* One period is incomplete, the sample of another has not arrived yet. */
	weight_missing_update(&missing, 1199, 1000, 100, 1);
	/* Samples may be ahead of the counter, which was read first. */
	weight_missing_update(&missing, 1000, 1300, 100, 1);
	assert_int_equal(missing.missed.samples, 0);
	assert_int_equal(missing.missed.weight, 0);
}

/* Where a sample represents up to ten periods, so many may be incomplete, and so many on their way. */
static void longer_periods(void **state)
{
	struct weight_missing missing = { 0 };

	(void)state;
	assert_false(weight_missing_finds(&missing, 2999, 1000, 100, 10));
	weight_missing_update(&missing, 2999, 1000, 100, 10);
	assert_int_equal(missing.missed.samples, 0);
	assert_true(weight_missing_finds(&missing, 3000, 1000, 100, 10));
	weight_missing_update(&missing, 3000, 1000, 100, 10);
	assert_false(weight_missing_finds(&missing, 3000, 1000, 100, 10));
	assert_int_equal(missing.missed.samples, 1);
	assert_int_equal(missing.missed.weight, 100);
}

static void missing_samples_are_whole_periods(void **state)
{
	struct weight_missing missing = { 0 };

	(void)state;
	weight_missing_update(&missing, 1000, 450, 100, 1);
	assert_int_equal(missing.missed.samples, 4);
	assert_int_equal(missing.missed.weight, 400);
}

static void what_is_named_is_not_named_again(void **state)
{
	struct weight_missing missing = { 0 };

	(void)state;
	weight_missing_update(&missing, 1000, 450, 100, 1);
	weight_missing_update(&missing, 1100, 550, 100, 1);
	assert_int_equal(missing.missed.samples, 4);
	weight_missing_update(&missing, 1500, 550, 100, 1);
	assert_int_equal(missing.missed.samples, 8);
	assert_int_equal(missing.missed.weight, 800);
}

static void it_only_grows(void **state)
{
	struct weight_missing missing = { 0 };

	(void)state;
	weight_missing_update(&missing, 1000, 0, 100, 1);
	weight_missing_update(&missing, 1000, 1000, 100, 1);
	assert_int_equal(missing.missed.samples, 9);
}

static void a_change_of_the_period_costs_a_part_of_it(void **state)
{
	struct weight_missing missing = { 0 };

	(void)state;
	weight_missing_cut(&missing, 1000);
	/* 950 of the old period had passed when it was changed. */
	weight_missing_update(&missing, 5950 + 10 * 20, 5000 + 10 * 20, 10, 1);
	assert_int_equal(missing.missed.samples, 0);
	weight_missing_update(&missing, 5950 + 10 * 220, 5000 + 10 * 20, 10, 1);
	assert_int_equal(missing.missed.samples, (950 - 1000 + 2000) / 10 - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_missing),
		cmocka_unit_test(longer_periods),
		cmocka_unit_test(missing_samples_are_whole_periods),
		cmocka_unit_test(what_is_named_is_not_named_again),
		cmocka_unit_test(it_only_grows),
		cmocka_unit_test(a_change_of_the_period_costs_a_part_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
