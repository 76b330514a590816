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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
