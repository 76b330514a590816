// SPDX-License-Identifier: GPL-2.0-only
/* The offsets of a time namespace, and the clock without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

static const struct {
	const char *text;
	int64_t monotonic_ns, boottime_ns;
} files[] = {
	{ "", 0, 0 },
	{ "monotonic           0         0\nboottime            0         0\n", 0, 0 },
	{ "monotonic      100000         7\nboottime          -5 999999999\n", 100000000000007, -4000000001 },
	{ "boottime 3 4\n", 0, 3000000004 },
	{ "later 1 2\nmonotonic 5 6\n", 5000000006, 0 },
	{ "monotonic 99999999999 0\nboottime 1 0\n", 0, 1000000000 },
	{ "monotonic 5\n", 0, 0 },
	{ "no numbers at all", 0, 0 },
};

static void test_offsets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct clock_offsets offsets;

		clock_parse_offsets(files[i].text, &offsets);
		assert_int_equal(offsets.monotonic_ns, files[i].monotonic_ns);
		assert_int_equal(offsets.boottime_ns, files[i].boottime_ns);
	}
}

/* Works in any time namespace. */
static void test_now(void **state)
{
	struct clock_offsets offsets;
	uint64_t before, now, after;

	(void)state;
	clock_offsets(&offsets);
	before = clock_own_ns();
	now = clock_now_ns() + (uint64_t)offsets.monotonic_ns;
	after = clock_own_ns();
	assert_in_range(now, before, after);
}

static void test_saturation(void **state)
{
	const struct timespec usual = { 2, 500 }, early = { -2, 500 };
	const struct timespec late = { INT64_MAX / 1000000000, 999999999 };
	const struct timespec never = { INT64_MAX, 0 }, first = { INT64_MIN, 0 };

	(void)state;
	assert_int_equal(clock_timespec_ns(&usual), 2000000500);
	assert_int_equal(clock_timespec_ns(&early), -1999999500);
	assert_int_equal(clock_timespec_ns(&late), INT64_MAX);
	assert_int_equal(clock_timespec_ns(&never), INT64_MAX);
	assert_int_equal(clock_timespec_ns(&first), INT64_MIN);
	assert_int_equal(clock_sum_ns(-1, 3), 2);
	assert_int_equal(clock_sum_ns(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(clock_sum_ns(-2, INT64_MIN), INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_now),
		cmocka_unit_test(test_saturation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
