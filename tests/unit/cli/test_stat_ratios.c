// SPDX-License-Identifier: GPL-2.0-only
/* Ratios of events over runs, with their intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../cli/stat/counts.c"
#include "../../../cli/stat/derived.c"
#include "../../../cli/stat/moments.c"
#include "../../../cli/stat/ratio.c"
#include "../../../cli/stat/stat_ratios.c"

static void near(double got, double wanted, double distance)
{
	if (!(fabs(got - wanted) <= distance))
		fail_msg("%f is not %f", got, wanted);
}

static struct moments moments_of(const double *of, const double *by, size_t nr, double factor)
{
	struct ratio ratio = { 0 };

	for (size_t i = 0; i < nr; i++)
		ratio_add(&ratio, of[i], by[i]);
	return ratio_moments(&ratio, factor);
}

static void is_the_ratio_of_sums(void **state)
{
	const double of[] = { 2, 5, 5 }, by[] = { 1, 2, 3 }, none[] = { 0, 0, 0 };
	struct moments moments = moments_of(of, by, 3, 1), thousand = moments_of(of, by, 3, 1000);

	(void)state;
	/* The residuals are 0, 1 and -1; the mean of the second is 2. */
	assert_int_equal(moments.nr, 3);
	near(moments.mean, 2, 1e-12);
	near(moments.squares, 0.5, 1e-12);
	near(moments_half(&moments), 4.302653 * 0.5 / sqrt(3), 1e-5);
	near(thousand.mean, 2000, 1e-9);
	near(moments_half(&thousand), 1000 * moments_half(&moments), 1e-6);
	assert_int_equal(moments_of(of, none, 3, 1).nr, 0);
}

/* Numbers as large as those of cycles: equal ratios have no deviation, whatever their size. */
static void equal_ratios_do_not_deviate(void **state)
{
	const double of[] = { 3e12, 6e9, 9e11 }, by[] = { 1e12, 2e9, 3e11 };
	struct moments moments = moments_of(of, by, 3, 1);

	(void)state;
	near(moments.mean, 3, 1e-12);
	near(moments_half(&moments), 0, 1e-6);
}

/* The interval of 95 % has the true ratio in about 95 % of all cases, with runs of different lengths. */
static void the_interval_holds(void **state)
{
	uint64_t random = 1;
	int within = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct ratio ratio = { 0 };
		struct moments moments;

		for (int run = 0; run < 10; run++) {
			double length, noise;

			random = random * 6364136223846793005 + 1442695040888963407;
			length = 1000 + (double)(random >> 54);
			random = random * 6364136223846793005 + 1442695040888963407;
			noise = (double)(random >> 54) / 1024 - 0.5;
			ratio_add(&ratio, length * (1.5 + noise / 10), length);
		}
		moments = ratio_moments(&ratio, 1);
		within += fabs(moments.mean - 1.5) < moments_half(&moments);
	}
	assert_in_range(within, 1850, 1950);
}

static void of_events(void **state)
{
	struct counts_event events[] = {
		{ "cycles", "cycles", 0 }, { "instructions", "instructions", 0 }, { "branch-misses", "events", 2 },
		{ "branches", "events", 2 },
	};
	struct count values[] = {
		{ TPROF_COUNTED, .value = 100 }, { TPROF_COUNTED, .value = 200 }, { TPROF_COUNTED, .value = 1 },
		{ .state = TPROF_NOT_COUNTED },
	};
	struct counts_row row = { .counts = values };
	const struct counts counts = { .events = events, .nr_events = 4, .rows = &row, .nr_rows = 1 };
	struct stat_ratios ratios = { 0 };
	char label[64];

	(void)state;
	assert_int_equal(stat_ratios_add(&ratios, &counts), 0);
	assert_int_equal(ratios.nr, 3);
	near(stat_ratio_moments(&ratios.all[0]).mean, 2, 1e-12);
	stat_ratio_label(&ratios.all[0], &counts, label, sizeof(label));
	assert_string_equal(label, "instructions per cycle");
	assert_int_equal(stat_ratio_moments(&ratios.all[1]).nr, 0);
	stat_ratio_label(&ratios.all[1], &counts, label, sizeof(label));
	assert_string_equal(label, "branch-misses, % of branches");
	near(stat_ratio_moments(&ratios.all[2]).mean, 5, 1e-12);
	stat_ratio_label(&ratios.all[2], &counts, label, sizeof(label));
	assert_string_equal(label, "branch-misses per thousand instructions");
	stat_ratios_fini(&ratios);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_ratio_of_sums),
		cmocka_unit_test(equal_ratios_do_not_deviate),
		cmocka_unit_test(the_interval_holds),
		cmocka_unit_test(of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
