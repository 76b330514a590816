// SPDX-License-Identifier: GPL-2.0-only
/* The conversion of a rate to a period. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/rate.h"

static const struct event clock_event = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK };
static const struct event faults = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS };
static const struct event tracepoint = { .type = PERF_TYPE_TRACEPOINT, .config = 300 };
static const struct event kprobe = { .type = EVENT_TYPE_SOURCE, .source = "kprobe" };
static const struct event cycles = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES };
static const struct event of_a_pmu = { .type = 8, .config = 0x11 };

static void first_period(void **state)
{
	(void)state;
	assert_int_equal(rate_first_period(&clock_event, 0, 12345), 12345);
	assert_int_equal(rate_first_period(&clock_event, 1000, 0), 1006180);
	assert_int_equal(rate_first_period(&clock_event, 99, 0), 10163434);
	assert_int_equal(rate_first_period(&faults, 99, 0), 1);
	assert_int_equal(rate_first_period(&tracepoint, 99, 0), 1);
	assert_int_equal(rate_first_period(&kprobe, 99, 0), 1);
	assert_int_equal(rate_first_period(&kprobe, 0, 1), 1);
	assert_int_equal(rate_first_period(&cycles, 1000, 0), 2000000);
	assert_int_equal(rate_first_period(&of_a_pmu, 1000, 0), 2000000);
}

/*
 * A workload has the period of the clock, half of it or twice of it. Of 2,000 samples, two fifths are in the first two
 * fifths of the period of the workload, within 2.5 points; random samples would deviate by up to 4.5 (four standard
 * deviations).
 */
static void a_clock_is_never_in_step(void **state)
{
	static const uint64_t rates_hz[] = { 10, 99, 100, 250, 997, 1000, 4000, 20000 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates_hz) / sizeof(*rates_hz); i++) {
		uint64_t asked = 1000000000ULL / rates_hz[i], period = rate_first_period(&clock_event, rates_hz[i], 0);

		for (uint64_t round = asked / 2; round <= 2 * asked; round *= 2) {
			unsigned int first = 0;

			for (uint64_t sample = 0; sample < 2000; sample++)
				first += sample * period % round < round * 2 / 5;
			assert_in_range(first, 2000 * 2 / 5 - 50, 2000 * 2 / 5 + 50);
		}
	}
}

static void next_period_moves_half_way(void **state)
{
	(void)state;
	assert_int_equal(rate_next_period(1000, 100, 300000), 2000);
	assert_int_equal(rate_next_period(3000, 100, 100000), 2000);
}

static void next_period_stays_when_it_is_near(void **state)
{
	(void)state;
	assert_int_equal(rate_next_period(1000, 100, 95000), 1000);
	assert_int_equal(rate_next_period(1000, 100, 109000), 1000);
	assert_int_not_equal(rate_next_period(1000, 100, 112000), 1000);
	assert_int_not_equal(rate_next_period(1000, 100, 88000), 1000);
}

static void next_period_is_never_0(void **state)
{
	uint64_t period = 1000;

	(void)state;
	for (int i = 0; i < 100; i++) {
		period = rate_next_period(period, 99, 0);
		assert_true(period >= 1);
	}
	assert_int_equal(period, 1);
}

/* The rate converges to the requested one, from far above and from far below. */
static void it_settles(void **state)
{
	uint64_t from_above = 1000000000, from_below = 1;

	(void)state;
	for (int i = 0; i < 40; i++) {
		from_above = rate_next_period(from_above, 99, 99 * 5000.0);
		from_below = rate_next_period(from_below, 99, 99 * 5000.0);
	}
	assert_in_range(from_above, 4500, 5560);
	assert_in_range(from_below, 4500, 5560);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_period),
		cmocka_unit_test(a_clock_is_never_in_step),
		cmocka_unit_test(next_period_moves_half_way),
		cmocka_unit_test(next_period_stays_when_it_is_near),
		cmocka_unit_test(next_period_is_never_0),
		cmocka_unit_test(it_settles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
