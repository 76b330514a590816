// SPDX-License-Identifier: GPL-2.0-only
/* The account of each generation: what is settled is what was booked until the swap, whatever comes after it. */
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

/* A filter whose account lies in ordinary memory. */
static void setup(struct tprof_filter *filter, bool whole_samples)
{
	size_t nr = (size_t)libbpf_num_possible_cpus();

	*filter = (struct tprof_filter){ .whole_samples = whole_samples };
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

static void book(struct tprof_tally *tally)
{
	tally->samples++;
	tally->weight += WEIGHT;
}

/* As a program of engine perf begins a sample; returns where it books the rest. */
static struct tprof_booked *begin(struct tprof_cpu_ledger *cpu)
{
	cpu->current = cpu->wanted;
	book(&cpu->booked[cpu->current].fired);
	return &cpu->booked[cpu->current];
}

static void assert_settled(const struct tprof_filter *filter, uint64_t fired, uint64_t done)
{
	struct tprof_booked settled = filter_settled(filter, 0);

	assert_int_equal(settled.fired.samples, fired);
	assert_int_equal(settled.fired.weight, fired * WEIGHT);
	assert_int_equal(settled.outcomes.done.samples, done);
	assert_int_equal(settled.outcomes.done.weight, done * WEIGHT);
}

/* What comes behind the swap is for the next time; what was under way then ends where it began. */
static void of_many_swaps(void **state)
{
	struct tprof_booked *under_way;
	struct tprof_filter filter;
	uint64_t before;

	(void)state;
	setup(&filter, true);
	for (uint64_t n = 1; n <= 6; n++) {
		for (uint64_t i = 1; i < n; i++)
			book(&begin(&filter.ledger[0])->outcomes.done);
		under_way = begin(&filter.ledger[0]);
		assert_int_equal(filter_swap_generations(&filter), 0);
		/* Of what it counts from here on it says so in the generation that it began in. */
		assert_ptr_equal(under_way, &filter.ledger[0].booked[filter.ledger[0].current]);
		book(&under_way->outcomes.done);
		before = n * (n + 1) / 2;
		assert_settled(&filter, before + (n - 1) * 2, before + (n - 1) * 2);
		book(&begin(&filter.ledger[0])->outcomes.done);
		book(&begin(&filter.ledger[0])->outcomes.done);
		assert_settled(&filter, before + (n - 1) * 2, before + (n - 1) * 2);
	}
	teardown(&filter);
}

/* The module's half sees no sample begin: it is told at once. */
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
