// SPDX-License-Identifier: GPL-2.0-only
/* Lists of CPUs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "event/cpus.h"

static void lists(void **state)
{
	struct cpus cpus;

	(void)state;
	assert_int_equal(cpus_parse(&cpus, "5,0-2,1\n"), 0);
	assert_int_equal(cpus.nr, 4);
	assert_int_equal(cpus.ids[0], 0);
	assert_int_equal(cpus.ids[2], 2);
	assert_int_equal(cpus.ids[3], 5);
	cpus_release(&cpus);
}

static void not_lists(void **state)
{
	static const char *const bad[] = { "", ",", "0,", "-1", "0-", "3-1", "a", "0 1", "0-3x", "99999999999999999999",
					   "16384", "0--1", "+1", " 1", "0\n1", "0\n\n" };
	struct cpus cpus;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cpus_parse(&cpus, bad[i]), -EINVAL);
}

static void online(void **state)
{
	struct tprof_error error;
	struct cpus all, one;

	(void)state;
	assert_int_equal(cpus_init(&all, NULL, &error), 0);
	assert_true(all.nr >= 1);
	assert_int_equal(all.nr, all.nr_online);
	assert_int_equal(cpus_init(&one, "0", &error), 0);
	assert_int_equal(one.nr, 1);
	assert_int_equal(one.nr_online, all.nr_online);
	cpus_release(&one);
	assert_int_equal(cpus_init(&one, "16000", &error), -ENXIO);
	assert_string_equal(error.text, "CPU 16000: not online");
	assert_int_equal(cpus_init(&one, "zero", &error), -EINVAL);
	cpus_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(not_lists),
		cmocka_unit_test(online),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
