// SPDX-License-Identifier: GPL-2.0-only
/* Mean, deviation, quantiles of Student's distribution as in printed tables, and Welch's interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../cli/stat/moments.c"

static void near(double got, double wanted, double distance)
{
	if (!(fabs(got - wanted) <= distance))
		fail_msg("%f is not %f", got, wanted);
}

static struct moments moments_of(const double *values, size_t nr)
{
	struct moments moments = { 0 };

	for (size_t i = 0; i < nr; i++)
		moments_add(&moments, values[i]);
	return moments;
}

static void mean_and_deviation(void **state)
{
	const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct moments moments = moments_of(values, 8), one = moments_of(values, 1);

	(void)state;
	near(moments.mean, 5, 1e-12);
	near(moments_deviation(&moments), 2.1380899, 1e-6);
	near(moments_half(&moments), 2.364624 * 2.1380899 / sqrt(8), 1e-4);
	near(moments_deviation(&one), 0, 0);
	assert_true(isinf(moments_half(&one)));
}

static void student(void **state)
{
	(void)state;
	near(moments_student(1), 12.7062, 0.001);
	near(moments_student(2), 4.30265, 0.0005);
	near(moments_student(3), 3.18245, 0.0005);
	near(moments_student(9), 2.26216, 0.0005);
	near(moments_student(30), 2.04227, 0.0005);
	near(moments_student(120), 1.97993, 0.0005);
	near(moments_student(200.5), 1.97189, 0.0005);
	near(moments_student(1e9), 1.959964, 1e-5);
}

/* An example of two samples with unequal deviations: t = 2.46 with 25.0 degrees of freedom. */
static void welch(void **state)
{
	const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4 };
	const double b[] = { 27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4 };
	struct moments ma = moments_of(a, 15), mb = moments_of(b, 15);
	struct difference difference = moments_difference(&ma, &mb);

	(void)state;
	near(ma.mean, 20.82, 1e-9);
	near(mb.mean, 22.98667, 1e-4);
	near(difference.change, 2.16667, 1e-4);
	near(moments_deviation(&ma), 2.804894, 1e-5);
	near(moments_deviation(&mb), 1.952605, 1e-5);
	/* Its p value is 0.021, so the interval excludes 0. */
	near((difference.low + difference.high) / 2, difference.change, 1e-9);
	assert_true(difference.low > 0.3 && difference.low < 0.4);
}

static void no_deviation(void **state)
{
	const double a[] = { 5, 5 }, b[] = { 6, 6 };
	struct moments ma = moments_of(a, 2), mb = moments_of(b, 2);
	struct difference difference = moments_difference(&ma, &mb);

	(void)state;
	near(difference.low, 1, 0);
	near(difference.high, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_and_deviation),
		cmocka_unit_test(student),
		cmocka_unit_test(welch),
		cmocka_unit_test(no_deviation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
