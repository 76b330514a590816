// SPDX-License-Identifier: GPL-2.0-only
/* Idle time in samples: across stops, and changes of the period. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/idle_time.h"

#define MS 1000000ULL

static void advance(struct idle_time *idle, uint64_t ns)
{
	idle->now_ns[0] += ns;
}

static void stopped_time_does_not_count(void **state)
{
	struct idle_time idle;

	(void)state;
	assert_int_equal(idle_time_init(&idle, 1, 1), 0);
	advance(&idle, 100 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, MS), 0);
	idle_time_start(&idle);
	advance(&idle, 10 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, MS), 10);
	idle_time_stop(&idle);
	advance(&idle, 1000 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, MS), 10);
	idle_time_start(&idle);
	advance(&idle, 5 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, MS), 15);
	assert_int_equal(idle_time_ns(&idle, 0, 0), 15 * MS);
	idle_time_fini(&idle);
}

static void time_counts_with_its_period(void **state)
{
	struct idle_time idle;

	(void)state;
	assert_int_equal(idle_time_init(&idle, 1, 1), 0);
	idle_time_start(&idle);
	advance(&idle, 10 * MS);
	idle_time_cut(&idle, 0, MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, 5 * MS), 10);
	advance(&idle, 10 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, 5 * MS), 12);
	idle_time_stop(&idle);
	idle_time_cut(&idle, 0, 5 * MS);
	advance(&idle, 100 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, MS), 12);
	idle_time_fini(&idle);
}

static void each_event_has_its_period(void **state)
{
	struct idle_time idle;

	(void)state;
	assert_int_equal(idle_time_init(&idle, 2, 1), 0);
	idle_time_start(&idle);
	advance(&idle, 10 * MS);
	idle_time_cut(&idle, 1, MS);
	advance(&idle, 10 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, MS), 20);
	assert_int_equal(idle_time_samples(&idle, 1, 0, 5 * MS), 12);
	idle_time_fini(&idle);
}

static void a_cpu_joins(void **state)
{
	struct idle_time idle;

	(void)state;
	assert_int_equal(idle_time_init(&idle, 1, 1), 0);
	idle_time_start(&idle);
	advance(&idle, 50 * MS);
	idle_time_join(&idle, 0);
	idle_time_join(&idle, 1);
	advance(&idle, 3 * MS);
	assert_int_equal(idle_time_samples(&idle, 0, 0, MS), 3);
	idle_time_fini(&idle);
}

static void the_machine_has_idle_time(void **state)
{
	struct idle_time idle;
	uint64_t now_ns;

	(void)state;
	assert_int_equal(idle_time_init(&idle, 1, 1), 0);
	assert_int_equal(idle_time_read(&idle), 0);
	now_ns = idle.now_ns[0];
	idle.now_ns[0] = UINT64_MAX;
	/* The kernel's number can decrease; ours does not. */
	assert_int_equal(idle_time_read(&idle), 0);
	assert_true(idle.now_ns[0] == UINT64_MAX && now_ns < UINT64_MAX);
	idle_time_fini(&idle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopped_time_does_not_count),
		cmocka_unit_test(time_counts_with_its_period),
		cmocka_unit_test(each_event_has_its_period),
		cmocka_unit_test(a_cpu_joins),
		cmocka_unit_test(the_machine_has_idle_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
