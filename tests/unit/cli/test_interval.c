// SPDX-License-Identifier: GPL-2.0-only
/* Confidence intervals of shares, compared with examples from the literature and in edge cases: 0, 1, no samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../cli/diff/interval.c"

static void near(double got, double wanted)
{
	if (!(fabs(got - wanted) < 0.00006))
		fail_msg("%f is not %f", got, wanted);
}

/* Wilson: 81 of 263, and 0 of 20. */
static void shares(void **state)
{
	struct interval interval = interval_share(81.0 / 263, 263);

	(void)state;
	near(interval.low, 0.2553);
	near(interval.high, 0.3662);
	interval = interval_share(0, 20);
	near(interval.low, 0);
	near(interval.high, 0.1611);
	interval = interval_share(1, 20);
	near(interval.low, 0.8389);
	near(interval.high, 1);
}

/* Newcombe, method 10: 56 of 70 less 48 of 80, 9 of 10 less 3 of 10, 10 of 10 less 0 of 10. */
static void changes(void **state)
{
	struct interval interval = interval_change(48.0 / 80, 80, 56.0 / 70, 70);

	(void)state;
	near(interval.low, 0.0524);
	near(interval.high, 0.3339);
	interval = interval_change(0.3, 10, 0.9, 10);
	near(interval.low, 0.1705);
	near(interval.high, 0.8090);
	interval = interval_change(0, 10, 1, 10);
	near(interval.low, 0.6075);
	near(interval.high, 1);
}

static void nothing_is_sure_of_nothing(void **state)
{
	struct interval interval = interval_change(0, 0, 0, 0);

	(void)state;
	near(interval.low, -1);
	near(interval.high, 1);
	interval = interval_change(0.5, 1000000, 0.5, 1000000);
	assert_true(interval.low < 0 && interval.high > 0);
	assert_true(interval.high < 0.002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		cmocka_unit_test(changes),
		cmocka_unit_test(nothing_is_sure_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
