// SPDX-License-Identifier: GPL-2.0-only
/* Finding the descendants of processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/descendants.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static void mark(struct parentage *processes, size_t nr, pid_t ancestor)
{
	const struct target target = { .kind = TPROF_SCOPE_KIND_TGID, .id = ancestor };

	parentage_mark(processes, nr, &target, 1);
}

static void children_and_theirs(void **state)
{
	struct parentage processes[] = {
		{ .pid = 1, .parent = 0 }, { .pid = 2, .parent = 0 }, { .pid = 10, .parent = 1 },
		{ .pid = 11, .parent = 10 }, { .pid = 12, .parent = 11 }, { .pid = 13, .parent = 1 },
	};

	(void)state;
	mark(processes, NR(processes), 10);
	assert_false(parentage_descends(processes, NR(processes), 1));
	assert_false(parentage_descends(processes, NR(processes), 2));
	/* A process is not its own descendant. */
	assert_false(parentage_descends(processes, NR(processes), 10));
	assert_true(parentage_descends(processes, NR(processes), 11));
	assert_true(parentage_descends(processes, NR(processes), 12));
	assert_false(parentage_descends(processes, NR(processes), 13));
	assert_false(parentage_descends(processes, NR(processes), 4711));
}

/* Several targets are searched in one pass; threads have no descendants. */
static void of_several(void **state)
{
	struct parentage processes[] = {
		{ .pid = 10, .parent = 1 }, { .pid = 11, .parent = 10 }, { .pid = 20, .parent = 1 },
		{ .pid = 21, .parent = 20 }, { .pid = 22, .parent = 21 }, { .pid = 30, .parent = 1 },
		{ .pid = 31, .parent = 30 },
	};
	const struct target targets[] = {
		{ .kind = TPROF_SCOPE_KIND_TGID, .id = 21 }, { .kind = TPROF_SCOPE_KIND_TGID, .id = 10 },
		{ .kind = TPROF_SCOPE_KIND_TGID, .id = 20 }, { .kind = TPROF_SCOPE_KIND_TID, .id = 30 },
		{ .kind = TPROF_SCOPE_KIND_TGID, .id = 4711 },
	};

	(void)state;
	parentage_mark(processes, NR(processes), targets, NR(targets));
	assert_true(parentage_descends(processes, NR(processes), 11));
	assert_true(parentage_descends(processes, NR(processes), 21));
	assert_true(parentage_descends(processes, NR(processes), 22));
	assert_false(parentage_descends(processes, NR(processes), 10));
	assert_false(parentage_descends(processes, NR(processes), 20));
	assert_false(parentage_descends(processes, NR(processes), 31));
}

/* PIDs wrap around: the descent is 900, 5, 700, 3. */
static void in_any_order(void **state)
{
	struct parentage processes[] = {
		{ .pid = 700, .parent = 5 }, { .pid = 3, .parent = 700 }, { .pid = 900, .parent = 1 },
		{ .pid = 5, .parent = 900 }, { .pid = 4, .parent = 1 },
	};

	(void)state;
	mark(processes, NR(processes), 900);
	assert_true(parentage_descends(processes, NR(processes), 5));
	assert_true(parentage_descends(processes, NR(processes), 700));
	assert_true(parentage_descends(processes, NR(processes), 3));
	assert_false(parentage_descends(processes, NR(processes), 4));
}

/* /proc is not read atomically, so parents may form a cycle. */
static void a_circle_ends(void **state)
{
	struct parentage processes[] = {
		{ .pid = 5, .parent = 6 }, { .pid = 6, .parent = 5 }, { .pid = 7, .parent = 5 },
	};

	(void)state;
	mark(processes, NR(processes), 6);
	assert_true(parentage_descends(processes, NR(processes), 5));
	assert_true(parentage_descends(processes, NR(processes), 7));
	mark(processes, 0, 6);
	assert_false(parentage_descends(processes, 0, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_and_theirs),
		cmocka_unit_test(of_several),
		cmocka_unit_test(in_any_order),
		cmocka_unit_test(a_circle_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
