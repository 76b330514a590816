// SPDX-License-Identifier: GPL-2.0-only
/* Who descends from whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kmod_scope.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static void children_and_theirs(void **state)
{
	struct parentage processes[] = {
		{ .pid = 1, .parent = 0 }, { .pid = 2, .parent = 0 }, { .pid = 10, .parent = 1 },
		{ .pid = 11, .parent = 10 }, { .pid = 12, .parent = 11 }, { .pid = 13, .parent = 1 },
	};

	(void)state;
	parentage_mark(processes, NR(processes), 10);
	assert_false(parentage_is_marked(processes, NR(processes), 1));
	assert_false(parentage_is_marked(processes, NR(processes), 2));
	/* Not the ancestor itself. */
	assert_false(parentage_is_marked(processes, NR(processes), 10));
	assert_true(parentage_is_marked(processes, NR(processes), 11));
	assert_true(parentage_is_marked(processes, NR(processes), 12));
	assert_false(parentage_is_marked(processes, NR(processes), 13));
	assert_false(parentage_is_marked(processes, NR(processes), 4711));
}

/* Process ids start again from below: the line goes 900, 5, 700, 3. */
static void in_any_order(void **state)
{
	struct parentage processes[] = {
		{ .pid = 700, .parent = 5 }, { .pid = 3, .parent = 700 }, { .pid = 900, .parent = 1 },
		{ .pid = 5, .parent = 900 }, { .pid = 4, .parent = 1 },
	};

	(void)state;
	parentage_mark(processes, NR(processes), 900);
	assert_true(parentage_is_marked(processes, NR(processes), 5));
	assert_true(parentage_is_marked(processes, NR(processes), 700));
	assert_true(parentage_is_marked(processes, NR(processes), 3));
	assert_false(parentage_is_marked(processes, NR(processes), 4));
}

/* /proc is not read at one moment: what it shows may go in a circle. */
static void a_circle_ends(void **state)
{
	struct parentage processes[] = {
		{ .pid = 5, .parent = 6 }, { .pid = 6, .parent = 5 }, { .pid = 7, .parent = 5 },
	};

	(void)state;
	parentage_mark(processes, NR(processes), 6);
	assert_true(parentage_is_marked(processes, NR(processes), 5));
	assert_true(parentage_is_marked(processes, NR(processes), 7));
	parentage_mark(processes, 0, 6);
	assert_false(parentage_is_marked(processes, 0, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_and_theirs),
		cmocka_unit_test(in_any_order),
		cmocka_unit_test(a_circle_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
