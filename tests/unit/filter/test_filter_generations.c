// SPDX-License-Identifier: GPL-2.0-only
/* The ledger of each generation: after a swap, the settled ledger has exactly the samples from before the swap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <cmocka.h>

#include "filter/filter.h"

#define WEIGHT 7
#define EVENT 3

/* Makes a filter whose ledger is in ordinary memory. */
static void setup(struct tprof_filter *filter, bool whole_samples)
{
	size_t nr = (size_t)libbpf_num_possible_cpus() + 1;

	*filter = (struct tprof_filter){ .whole_samples = whole_samples, .nr_slots = nr };
	filter->ledger = aligned_alloc(64, nr * sizeof(*filter->ledger));
	filter->rested = calloc(nr, sizeof(*filter->rested));
	assert_true(filter->ledger && filter->rested);
	memset(filter->ledger, 0, nr * sizeof(*filter->ledger));
}

static void teardown(struct tprof_filter *filter)
{
	free(filter->ledger);
	free(filter->rested);
}

static void count(struct tprof_tally *tally)
{
	tally->samples++;
	tally->weight += WEIGHT;
}

/* Starts a sample like a program of the engine perf; returns the ledger of its generation. */
static struct tprof_program_ledger *begin(struct tprof_cpu_ledger *cpu)
{
	cpu->current = cpu->wanted;
	count(&cpu->generations[cpu->current][EVENT].fired);
	return &cpu->generations[cpu->current][EVENT];
}

static void assert_settled(const struct tprof_filter *filter, uint64_t fired, uint64_t done)
{
	struct tprof_program_ledger settled = filter_settled(filter, EVENT, 0);

	assert_int_equal(settled.fired.samples, fired);
	assert_int_equal(settled.fired.weight, fired * WEIGHT);
	assert_int_equal(settled.outcomes.done.samples, done);
	assert_int_equal(settled.outcomes.done.weight, done * WEIGHT);
}

/* Samples after the swap belong to the next generation; a sample that is in progress ends in its first generation. */
static void of_many_swaps(void **state)
{
	struct tprof_program_ledger *under_way;
	struct tprof_filter filter;
	uint64_t before;

	(void)state;
	setup(&filter, true);
	for (uint64_t n = 1; n <= 6; n++) {
		for (uint64_t i = 1; i < n; i++)
			count(&begin(&filter.ledger[0])->outcomes.done);
		under_way = begin(&filter.ledger[0]);
		assert_int_equal(filter_swap_generations(&filter), 0);
		/* The sample in progress is counted in the generation in which it started. */
		assert_ptr_equal(under_way, &filter.ledger[0].generations[filter.ledger[0].current][EVENT]);
		count(&under_way->outcomes.done);
		before = n * (n + 1) / 2;
		assert_settled(&filter, before + (n - 1) * 2, before + (n - 1) * 2);
		count(&begin(&filter.ledger[0])->outcomes.done);
		count(&begin(&filter.ledger[0])->outcomes.done);
		assert_settled(&filter, before + (n - 1) * 2, before + (n - 1) * 2);
	}
	teardown(&filter);
}

/* The program for the module does not see the start of samples, so a swap takes effect immediately. */
static void of_calls_alone(void **state)
{
	struct tprof_filter filter;

	(void)state;
	setup(&filter, false);
	assert_int_equal(filter_swap_generations(&filter), 0);
	assert_int_equal(filter.ledger[0].current, 1);
	assert_int_equal(filter_swap_generations(&filter), 0);
	assert_int_equal(filter.ledger[0].current, 0);
	teardown(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_many_swaps),
		cmocka_unit_test(of_calls_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
