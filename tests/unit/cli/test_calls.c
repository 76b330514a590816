// SPDX-License-Identifier: GPL-2.0-only
/* Finding the call stacks of a name and splitting them, compared with a scan of all call stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../../cli/calls/calls_index.c"
#include "../../../cli/calls/calls_merge.c"
#include "../../../cli/calls/calls_split.c"

enum { NR_STACKS = 3000, DEPTH = 7, NR_NAMES = 70000 };

static uint32_t numbers[NR_STACKS][DEPTH];
static struct calls_stack stacks[NR_STACKS];
static struct calls calls = { .stacks = stacks, .nr = NR_STACKS };

/* Name numbers that take one, two and three bytes; some occur twice in a call stack. */
static int make(void **state)
{
	uint64_t random = 88172645463325252;

	(void)state;
	for (size_t i = 0; i < NR_STACKS; i++) {
		for (size_t n = 0; n < DEPTH; n++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			numbers[i][n] = (uint32_t[]){ 3, 300, NR_NAMES }[random >> 40 & 1 ? n % 3 : 0] - 1 -
					(uint32_t)(random >> 33) % 3;
		}
		stacks[i] = (struct calls_stack){ numbers[i], 1 + i % DEPTH, 1, 1 + i % 11 };
	}
	return calls_index(&calls, NR_NAMES);
}

static int forget(void **state)
{
	(void)state;
	free(calls.found);
	free(calls.having);
	return 0;
}

/* Returns the position of a name, or -1. */
static long place_of(const struct calls_stack *stack, uint32_t name, int step)
{
	long found = -1;

	for (size_t n = 0; n < stack->nr; n++)
		if (stack->names[n] == name && (found < 0 || step < 0))
			found = (long)n;
	return found;
}

static void finds_each_stack_once(void **state)
{
	static const uint32_t wanted[] = { 0, 2, 5, 299, 298, NR_NAMES - 1 };

	(void)state;
	for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]) * 2; w++) {
		int step = w % 2 ? 1 : -1;
		size_t nr, seen = 0;
		struct calls_at *at = calls_through(&calls, wanted[w / 2], step, &nr);

		assert_non_null(at);
		for (size_t i = 0; i < NR_STACKS; i++) {
			long place = place_of(&stacks[i], wanted[w / 2], step);

			if (place < 0)
				continue;
			assert_true(seen < nr && at[seen].stack == &stacks[i]);
			assert_int_equal(at[seen].at, place);
			assert_int_equal(at[seen++].name, wanted[w / 2]);
		}
		assert_int_equal(seen, nr);
		free(at);
	}
}

static void expect_split(uint32_t name, int step, size_t nr_first)
{
	struct tprof_tally ended = { 0 };
	struct calls_split split;
	size_t nr, in_branches = 0;
	struct calls_at *at = calls_through(&calls, name, step, &nr);

	assert_non_null(at);
	nr = nr < nr_first ? nr : nr_first;
	assert_true(nr > 10);
	for (size_t i = 0; i < nr; i++) {
		bool ends = step > 0 ? at[i].at + 1 == at[i].stack->nr : !at[i].at;

		ended.weight += ends ? at[i].stack->weight : 0;
	}
	assert_int_equal(calls_split(at, nr, step, &split), 0);
	assert_int_equal(split.ended.weight, ended.weight);
	for (size_t b = 0; b < split.nr; b++) {
		const struct calls_branch *branch = &split.branches[b];
		uint64_t weight = 0;

		for (size_t i = 0; i < branch->nr; i++) {
			assert_int_equal(branch->stacks[i].stack->names[branch->stacks[i].at], branch->name);
			weight += branch->stacks[i].stack->weight;
		}
		assert_int_equal(branch->sum.weight, weight);
		assert_true(!b || branch[-1].sum.weight >= branch->sum.weight);
		for (size_t other = 0; other < b; other++)
			assert_int_not_equal(split.branches[other].name, branch->name);
		in_branches += branch->nr;
	}
	assert_int_equal(in_branches + split.ended.samples, nr);
	free(split.branches);
	free(at);
}

/* Few and many call stacks are sorted with different algorithms. */
static void splits_few_and_many(void **state)
{
	(void)state;
	for (int step = -1; step <= 1; step += 2) {
		expect_split(2, step, MANY - 1);
		expect_split(2, step, MANY);
		expect_split(299, step, NR_STACKS);
		expect_split(NR_NAMES - 1, step, NR_STACKS);
	}
}

static void splits_what_stands_before_its_roots(void **state)
{
	struct calls_at at[40];
	struct calls_split split;
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		at[i] = (struct calls_at){ .stack = &stacks[i], .at = (uint32_t)stacks[i].nr };
	assert_int_equal(calls_split(at, 40, -1, &split), 0);
	for (size_t b = 0; b < split.nr; b++)
		for (size_t i = 0; i < split.branches[b].nr; i++, nr++)
			assert_int_equal(split.branches[b].stacks[i].at + 1, split.branches[b].stacks[i].stack->nr);
	assert_int_equal(nr, 40);
	free(split.branches);
}

/* As of 1,000 addresses in each of 10 paths; one path is the beginning of another. */
static void merges_stacks_with_the_same_names(void **state)
{
	static const uint32_t path[] = { 7, 8, 7, 9, 9, 1, 2, 3, 4, 5 };
	struct calls_stack of_addresses[10000];
	struct calls merged = { .stacks = of_addresses, .nr = 10000 };

	(void)state;
	for (size_t i = 0; i < merged.nr; i++)
		of_addresses[i] = (struct calls_stack){ path, 1 + i % 10, 1, 2 };
	assert_int_equal(calls_merge(&merged), 0);
	assert_int_equal(merged.nr, 10);
	for (size_t i = 0; i < merged.nr; i++) {
		assert_int_equal(of_addresses[i].nr, 1 + i);
		assert_int_equal(of_addresses[i].samples, 1000);
		assert_int_equal(of_addresses[i].weight, 2000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_each_stack_once),
		cmocka_unit_test(splits_few_and_many),
		cmocka_unit_test(splits_what_stands_before_its_roots),
		cmocka_unit_test(merges_stacks_with_the_same_names),
	};

	return cmocka_run_group_tests_name("calls", tests, make, forget);
}
