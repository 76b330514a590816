// SPDX-License-Identifier: GPL-2.0-only
/* The computation of the reasons why samples of a CPU are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/cpu_missing.h"
#include "engine/cpu_idle.h"

static void nothing_missing(void **state)
{
	struct cpu_missing missing = { 0 };
	struct cpu_reading reading = { .counter = 100, .arrived = 100, .period = 10 };

	(void)state;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.engine_missed.samples, 0);
	/* The program may be ahead of the counter, which was read first. */
	reading.arrived = 102;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.engine_missed.samples, 0);
	assert_int_equal(missing.idle_missed.samples, 0);
}

static void busy_cpu_misses(void **state)
{
	struct cpu_missing missing = { 0 };
	struct cpu_reading reading = { .counter = 100, .arrived = 97, .period = 10 };

	(void)state;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.engine_missed.samples, 3);
	assert_int_equal(missing.engine_missed.weight, 30);
}

static void only_grows(void **state)
{
	struct cpu_missing missing = { 0 };
	struct cpu_reading reading = { .counter = 100, .arrived = 97, .period = 10 };

	(void)state;
	cpu_missing_update(&missing, &reading);
	reading.counter = 110;
	reading.arrived = 109;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.engine_missed.samples, 3);
	reading.counter = 120;
	reading.arrived = 115;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.engine_missed.samples, 5);
}

static void idle_explains_as_much_as_there_was(void **state)
{
	struct cpu_missing missing = { 0 };
	struct cpu_reading reading = { .counter = 100, .arrived = 40, .idle = 50, .idle_arrived = 5, .period = 1 };

	(void)state;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.idle_missed.samples, 45);
	assert_int_equal(missing.engine_missed.samples, 15);
	/* The same idle time does not explain further missing samples later. */
	reading.counter = 110;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.idle_missed.samples, 45);
	assert_int_equal(missing.engine_missed.samples, 25);
}

static void throttled_is_named(void **state)
{
	struct cpu_missing missing = { 0 };
	struct cpu_reading reading = { .counter = 60, .throttled = 40, .arrived = 58, .period = 1 };

	(void)state;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.throttled.samples, 40);
	assert_int_equal(missing.engine_missed.samples, 2);
}

static void a_period_that_changes_weighs_what_it_was(void **state)
{
	struct cpu_missing missing = { 0 };
	struct cpu_reading reading = { .counter = 10, .arrived = 8, .period = 100 };

	(void)state;
	cpu_missing_update(&missing, &reading);
	reading.counter = 20;
	reading.arrived = 17;
	reading.period = 7;
	cpu_missing_update(&missing, &reading);
	assert_int_equal(missing.engine_missed.samples, 3);
	assert_int_equal(missing.engine_missed.weight, 207);
}

static void stat_lines(void **state)
{
	unsigned int cpu = 77;
	uint64_t ticks = 0;

	(void)state;
	assert_int_equal(cpu_idle_parse("cpu3 1 2 3 400 50 6 7 8 9 10\n", &cpu, &ticks), 1);
	assert_int_equal(cpu, 3);
	assert_int_equal(ticks, 450);
	assert_int_equal(cpu_idle_parse("cpu  1 2 3 400 50 6 7 8 9 10\n", &cpu, &ticks), 0);
	assert_int_equal(cpu_idle_parse("intr 1 2 3\n", &cpu, &ticks), 0);
	assert_int_equal(cpu_idle_parse("", &cpu, &ticks), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_missing),
		cmocka_unit_test(busy_cpu_misses),
		cmocka_unit_test(only_grows),
		cmocka_unit_test(idle_explains_as_much_as_there_was),
		cmocka_unit_test(throttled_is_named),
		cmocka_unit_test(a_period_that_changes_weighs_what_it_was),
		cmocka_unit_test(stat_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
