// SPDX-License-Identifier: GPL-2.0-only
/* Trees whose branches are split when they are opened: they add up in any order, with call stacks of any depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../../cli/calls/branch.c"
#include "../../../cli/calls/calls_index.c"
#include "../../../cli/calls/calls_split.c"

enum { NR_STACKS = 2000, DEPTH = 12, NR_NAMES = 9, DEEP = 300000 };

static const struct branch_way callees = { .step = -1 }, callers = { .step = 1 };

/* Name 0 occurs only as the root of all call stacks. */
static struct calls *random_calls(void)
{
	static uint32_t numbers[NR_STACKS][DEPTH];
	static struct calls_stack stacks[NR_STACKS];
	static struct calls calls = { .stacks = stacks, .nr = NR_STACKS };
	uint64_t random = 88172645463325252;

	for (size_t i = 0; i < NR_STACKS; i++) {
		size_t nr = 1 + i % DEPTH;

		for (size_t n = 0; n < nr; n++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			numbers[i][n] = n + 1 == nr ? 0 : 1 + (uint32_t)(random >> 33) % (NR_NAMES - 1);
		}
		stacks[i] = (struct calls_stack){ numbers[i], nr, 1, 1 + i % 7 };
	}
	assert_int_equal(calls_index(&calls, NR_NAMES), 0);
	return &calls;
}

static void fini(struct calls *calls, struct branch *root)
{
	branch_fini(root);
	free(calls->found);
	free(calls->having);
}

static uint64_t weight_of(const struct calls *calls)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < calls->nr; i++)
		weight += calls->stacks[i].weight;
	return weight;
}

/* The weight of each split branch is the sum of its children. Returns the number of visible branches. */
static size_t expect_sums(struct branch *root, uint64_t weight)
{
	size_t shown = 0;

	for (struct branch *branch = root; branch; branch = branch_next(root, branch), shown++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < branch->nr; i++)
			sum += branch->children[i].sum.weight;
		assert_true(!branch->open || sum == (branch == root ? weight : branch->sum.weight));
		assert_true(!branch->children || branch->goes_on);
	}
	return shown;
}

static void adds_up(void **state)
{
	const struct branch_way limited = { .step = -1, .limit = 40 };
	struct calls *calls = random_calls();
	size_t lines = SIZE_MAX, some = 100, all;
	struct branch root;

	(void)state;
	assert_int_equal(branch_root(&root, calls, 0, &callees), 0);
	assert_int_equal(branch_open_all(&root, &callees, &lines), 0);
	all = expect_sums(&root, weight_of(calls));
	assert_int_equal(all, SIZE_MAX - lines + 1);
	branch_close_all(&root);
	assert_int_equal(expect_sums(&root, weight_of(calls)), 1);
	branch_fini(&root);

	assert_int_equal(branch_root(&root, calls, 0, &callees), 0);
	assert_int_equal(branch_open_all(&root, &callees, &some), 0);
	assert_int_equal(some, 0);
	assert_in_range(expect_sums(&root, weight_of(calls)), 100, 100 + NR_NAMES);
	branch_fini(&root);

	lines = SIZE_MAX;
	assert_int_equal(branch_root(&root, calls, 0, &limited), 0);
	assert_int_equal(branch_open_all(&root, &limited, &lines), 0);
	assert_in_range(expect_sums(&root, weight_of(calls)), 10, all / 2);
	fini(calls, &root);
}

static void roots_have_no_callers(void **state)
{
	struct calls *calls = random_calls();
	struct branch root;

	(void)state;
	assert_int_equal(branch_root(&root, calls, 0, &callers), 0);
	assert_false(root.goes_on);
	assert_false(calls_go_on(calls, 0, 1));
	assert_true(calls_go_on(calls, 0, -1));
	assert_int_equal(branch_open(&root, &callers), 0);
	assert_int_equal(root.nr, 0);
	fini(calls, &root);
}

/* A run of single calls is opened at once, up to a limit, and keeps the depth of its first branch. */
static void no_stack_is_too_deep(void **state)
{
	uint32_t *numbers = calloc(DEEP, sizeof(*numbers));
	struct calls_stack stack = { numbers, DEEP, 1, 1 };
	struct calls calls = { .stacks = &stack, .nr = 1 };
	struct branch root, *branch;
	size_t lines = SIZE_MAX, shown = 0;

	(void)state;
	assert_non_null(numbers);
	numbers[0] = 1;
	assert_int_equal(calls_index(&calls, 2), 0);
	assert_int_equal(branch_root(&root, &calls, 1, &callers), 0);
	assert_int_equal(branch_open(&root, &callers), 0);
	for (branch = &root; branch; branch = branch_next(&root, branch), shown++)
		assert_int_equal(branch->depth, branch == &root ? 0 : 1);
	assert_int_equal(shown, MAX_RUN + 1);
	assert_int_equal(branch_open_all(&root, &callers, &lines), 0);
	assert_int_equal(expect_sums(&root, 1), DEEP);
	fini(&calls, &root);
	free(numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(roots_have_no_callers),
		cmocka_unit_test(no_stack_is_too_deep),
	};

	return cmocka_run_group_tests_name("branch", tests, NULL, NULL);
}
