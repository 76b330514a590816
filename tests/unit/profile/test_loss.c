// SPDX-License-Identifier: GPL-2.0-only
/* The loss: the missing part of the samples in scope, as numbers and as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tprof.h"

struct given {
	uint64_t outside, done, idle, missed, unseen, throttled, stream_full, idle_missed, aggregated, table_full, busy;
	uint64_t done_ns, aggregated_ns, table_full_ns;		/* weights */
};

static struct tprof_loss loss_of(const struct given *given)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_loss loss = { .sz = sizeof(loss) };

	ledger.outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples = given->outside;
	ledger.outcomes[TPROF_OUTCOME_DONE].samples = given->done;
	ledger.idle.samples = given->idle;
	ledger.lost[TPROF_LOST_ENGINE_MISSED].samples = given->missed + given->unseen;
	ledger.lost[TPROF_LOST_ENGINE_MISSED].weight = given->missed * 1000;
	ledger.lost[TPROF_LOST_THROTTLED].samples = given->throttled;
	ledger.lost[TPROF_LOST_STREAM_FULL].samples = given->stream_full;
	ledger.lost[TPROF_LOST_IDLE_MISSED].samples = given->idle_missed;
	ledger.countings[TPROF_COUNTING_AGGREGATED].samples = given->aggregated;
	ledger.countings[TPROF_COUNTING_TABLE_FULL].samples = given->table_full;
	ledger.countings[TPROF_COUNTING_TABLE_BUSY].samples = given->busy;
	ledger.outcomes[TPROF_OUTCOME_DONE].weight = given->done_ns;
	ledger.countings[TPROF_COUNTING_AGGREGATED].weight = given->aggregated_ns;
	ledger.countings[TPROF_COUNTING_TABLE_FULL].weight = given->table_full_ns;
	tprof_ledger__loss(&ledger, &loss);
	return loss;
}

#define LOSS_OF(...) loss_of(&(struct given){ __VA_ARGS__ })

static void assert_loss(struct tprof_loss loss, uint64_t missing, uint64_t in_scope)
{
	assert_int_equal(loss.missing, missing);
	assert_int_equal(loss.in_scope, in_scope);
	assert_float_equal(loss.percent, in_scope ? 100.0 * (double)missing / (double)in_scope : 0, 0.001);
}

static void of_the_whole_machine(void **state)
{
	(void)state;
	assert_loss(LOSS_OF(.done = 0), 0, 0);
	assert_loss(LOSS_OF(.done = 100, .aggregated = 100), 0, 100);
	assert_loss(LOSS_OF(.done = 90, .missed = 10), 10, 100);
	/* Samples that were missed on idle CPUs are no loss, and do not change the loss. */
	assert_loss(LOSS_OF(.done = 90, .missed = 10, .idle_missed = 900), 10, 100);
	assert_loss(LOSS_OF(.done = 100, .idle = 40, .aggregated = 50, .table_full = 10), 10, 100);
}

/* 200 lost samples of 1,000 are more than a fifth of the samples in scope if 610 were out of scope. */
static void of_a_scope(void **state)
{
	(void)state;
	assert_loss(LOSS_OF(.outside = 610, .done = 190, .stream_full = 200), 200, 390);
	/* The scope of missed samples is unknown; all known samples out of scope were from idle CPUs. */
	assert_loss(LOSS_OF(.outside = 610, .idle = 610, .done = 190, .missed = 200), 200, 390);
	/* Half of the known samples of busy CPUs were in scope. */
	assert_loss(LOSS_OF(.outside = 500, .idle = 310, .done = 190, .missed = 200), 100, 290);
	/* A third, rounded up. */
	assert_loss(LOSS_OF(.outside = 200, .done = 100, .throttled = 10), 4, 104);
	/* Waits that were not seen are in scope: the others of the thread were. */
	assert_loss(LOSS_OF(.outside = 500, .done = 90, .unseen = 10), 10, 100);
	/* Without known samples in scope, missed ones count as out of scope, unless no busy sample is known at all. */
	assert_loss(LOSS_OF(.outside = 100, .missed = 10), 0, 0);
	assert_loss(LOSS_OF(.outside = 100, .idle = 100, .missed = 10), 10, 10);
}

/*
 * A filter may count a sample several times, in tables of which some are full: the loss is one of samples, and never
 * more than 100 %.
 */
static void of_counting_calls(void **state)
{
	(void)state;
	assert_loss(LOSS_OF(.done = 100, .aggregated = 200), 0, 100);
	assert_loss(LOSS_OF(.done = 60, .aggregated = 120, .missed = 40), 40, 100);
	/* 190 calls of 300, rounded up */
	assert_loss(LOSS_OF(.done = 100, .aggregated = 110, .table_full = 190), 64, 100);
	assert_loss(LOSS_OF(.done = 100, .table_full = 300), 100, 100);
	assert_loss(LOSS_OF(.done = 100, .missed = 50, .table_full = 300), 150, 150);
	assert_loss(LOSS_OF(.done = 80, .missed = 20, .aggregated = 120, .table_full = 20, .busy = 20), 40, 100);
	/* Parts of a sample, whose weights are no more than its own: no calls for stacks */
	assert_loss(LOSS_OF(.done = 1320, .done_ns = 8302, .aggregated = 818, .aggregated_ns = 179, .table_full = 1579,
			    .table_full_ns = 8123), 870, 1320);
	/* Without samples, calls of the interval before */
	assert_loss(LOSS_OF(.aggregated = 3, .table_full = 1), 1, 4);
}

/* Every sample was counted, some of them without one of their stacks, or without both. */
static void of_stacks(void **state)
{
	(void)state;
	assert_loss(LOSS_OF(.done = 100, .aggregated = 100, .table_full = 40), 40, 100);
	assert_loss(LOSS_OF(.done = 100, .aggregated = 90, .table_full = 40), 40, 100);
	assert_loss(LOSS_OF(.done = 1000, .aggregated = 1007, .table_full = 400, .missed = 10), 410, 1010);
	assert_loss(LOSS_OF(.done = 100, .aggregated = 100, .table_full = 120, .busy = 70), 100, 100);
	assert_loss(LOSS_OF(.done = 100, .done_ns = 1000, .aggregated = 100, .aggregated_ns = 1000, .table_full = 40,
			    .table_full_ns = 400), 40, 100);
	assert_non_null(strstr(LOSS_OF(.done = 100, .aggregated = 100, .table_full = 120).text,
			       ": 100.0 % table_full"));
}

static void in_words(void **state)
{
	(void)state;
	assert_string_equal(LOSS_OF(.done = 100, .aggregated = 100).text, "");
	assert_string_equal(LOSS_OF(.done = 990, .missed = 10).text, "");
	assert_string_equal(LOSS_OF(.done = 980, .missed = 20).text,
			    "2.0 % of the samples in scope are missing: 2.0 % engine_missed "
			    "(use a lower rate: -F, or --engine kmod if tprof doctor names BPF programs)");
	/* The parts are of the samples, not of what the tables have. */
	assert_string_equal(LOSS_OF(.done = 800, .missed = 200, .aggregated = 1200, .table_full = 400).text,
			    "40.0 % of the samples in scope are missing: 20.0 % engine_missed (use a lower rate: -F, "
			    "or --engine kmod if tprof doctor names BPF programs), 20.0 % table_full (use larger "
			    "tables: --table-entries; if stacks are copied, a lower rate: -F, or --call-graph fp)");
	assert_string_equal(LOSS_OF(.outside = 5000, .done = 980, .unseen = 20).text,
			    "2.0 % of the samples in scope are missing: 2.0 % engine_missed (the kernel hides some "
			    "context switches: each joins two waits, of which the time is counted)");
	/* A single call that found the table busy is too small a part to be reported. */
	assert_string_equal(LOSS_OF(.done = 900, .throttled = 100, .aggregated = 500, .table_full = 399,
				    .busy = 1).text,
			    "50.0 % of the samples in scope are missing: 10.0 % throttled (use a lower rate: -F), "
			    "39.9 % table_full (use larger tables: --table-entries; if stacks are copied, a lower "
			    "rate: -F, or --call-graph fp)");
}

/* Every reason has a text. */
static void of_every_reason(void **state)
{
	struct tprof_loss loss = { .sz = sizeof(loss) };

	(void)state;
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++) {
		struct tprof_ledger ledger = { .sz = sizeof(ledger) };

		ledger.lost[i].samples = 1;
		tprof_ledger__loss(&ledger, &loss);
		if (i == TPROF_LOST_IDLE_MISSED)
			assert_string_equal(loss.text, "");
		else
			assert_non_null(strstr(loss.text, tprof_lost_reason__name(i)));
	}
	for (int i = TPROF_COUNTING_AGGREGATED + 1; i < TPROF_NR_COUNTINGS; i++) {
		struct tprof_ledger ledger = { .sz = sizeof(ledger) };

		ledger.countings[i].samples = 1;
		tprof_ledger__loss(&ledger, &loss);
		assert_non_null(strstr(loss.text, tprof_counting__name(i)));
	}
}

static struct tprof_loss multiplexed(uint64_t enabled_ns, uint64_t running_ns, uint64_t missed)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger), .enabled_ns = enabled_ns, .running_ns = running_ns };
	struct tprof_loss loss = { .sz = sizeof(loss) };

	ledger.outcomes[TPROF_OUTCOME_DONE].samples = 1000 - missed;
	ledger.lost[TPROF_LOST_THROTTLED].samples = missed;
	tprof_ledger__loss(&ledger, &loss);
	return loss;
}

/* An event that took turns with others is no loss of samples, but the reader has to know. */
static void of_time(void **state)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	(void)state;
	assert_string_equal(multiplexed(0, 0, 0).text, "");
	assert_string_equal(multiplexed(1000, 1000, 0).text, "");
	assert_string_equal(multiplexed(1000, 995, 0).text, "");
	assert_string_equal(multiplexed(3000, 2000, 0).text, "counted 66.7 % of the time: the CPU has fewer counters "
			    "than events, and weights are not scaled, multiply them by 1.50 for the whole time "
			    "(use fewer events at a time)");
	assert_loss(multiplexed(3000, 2000, 0), 0, 1000);
	assert_null(strstr(multiplexed(3000, 0, 0).text, "multiply"));
	assert_non_null(strstr(multiplexed(3000, 0, 20).text, "use a lower rate: -F); counted 0.0 % of the time"));
	assert_true(tprof_ledger__counted(&ledger) == 1);
	ledger.enabled_ns = 4000;
	ledger.running_ns = 3000;
	assert_true(tprof_ledger__counted(&ledger) == 0.75);
	ledger.sz = 0;
	assert_true(tprof_ledger__counted(&ledger) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_whole_machine), cmocka_unit_test(of_a_scope),
		cmocka_unit_test(of_counting_calls),
		cmocka_unit_test(of_stacks),	cmocka_unit_test(in_words),
		cmocka_unit_test(of_every_reason), cmocka_unit_test(of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
