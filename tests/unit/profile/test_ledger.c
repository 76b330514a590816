// SPDX-License-Identifier: GPL-2.0-only
/* Copies of the ledger of a CPU while the CPU updates it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/ledger.h"

#define NR_CPUS 64
#define WEIGHT 7

struct machine {
	struct tprof_cpu_ledger cpus[NR_CPUS];
	atomic_bool over;
};

static void count(struct tprof_tally *tally)
{
	tally->samples++;
	tally->weight += WEIGHT;
	atomic_signal_fence(memory_order_seq_cst);
	atomic_thread_fence(memory_order_release);
}

/* Updates ledgers like BPF programs, but for all CPUs in turn, and each is mostly in the middle of a sample. */
static void *sample(void *ctx)
{
	struct machine *machine = ctx;

	for (uint64_t n = 0; !atomic_load(&machine->over); n++) {
		size_t outcome = n % 2 ? TPROF_OUTCOME_DONE : TPROF_OUTCOME_OUT_OF_SCOPE;

		for (size_t i = 0; i < NR_CPUS; i++)
			count(&machine->cpus[i].generations[n / 5 % 2][1].fired);
		for (size_t i = 0; i < NR_CPUS; i++)
			count(TPROF_TALLY_AT(&machine->cpus[i].generations[n / 5 % 2][1].outcomes, outcome));
	}
	return NULL;
}

/* Samples are alternately done and out of scope, so the number of fired samples determines all other numbers. */
static void assert_a_moment(const struct tprof_program_ledger *copy)
{
	uint64_t fired = copy->fired.samples;

	assert_int_equal(copy->outcomes.out_of_scope.samples, (fired + 1) / 2);
	assert_int_equal(copy->outcomes.done.samples, fired / 2);
	assert_int_equal(copy->fired.weight, fired * WEIGHT);
	assert_int_equal(copy->outcomes.out_of_scope.weight, (fired + 1) / 2 * WEIGHT);
	assert_int_equal(copy->outcomes.done.weight, fired / 2 * WEIGHT);
}

/* With many CPUs, there is hardly ever a time at which none is in the middle of a sample, so each is copied alone. */
static void of_many_cpus(void **state)
{
	static struct machine machine;
	struct tprof_program_ledger copy;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, sample, &machine), 0);
	do {
		for (size_t i = 0; i < NR_CPUS; i++) {
			/* Unlike an interrupt, the writing thread may have to wait for a CPU. */
			while (!ledger_copy_cpu(&machine.cpus[i], 1, &copy))
				;
			assert_a_moment(&copy);
		}
	} while (copy.fired.samples < 100000);
	atomic_store(&machine.over, true);
	pthread_join(thread, NULL);
}

static void stuck_in_a_sample(void **state)
{
	struct tprof_cpu_ledger cpu = { .generations[0][0].fired = { 2, 20 }, .generations[1][0].fired = { 1, 10 } };
	struct tprof_program_ledger copy;

	(void)state;
	cpu.generations[0][0].outcomes.done = (struct tprof_tally){ 1, 10 };
	cpu.generations[0][0].lost.stream_full = (struct tprof_tally){ 1, 10 };
	assert_false(ledger_copy_cpu(&cpu, 0, &copy));
	assert_int_equal(copy.fired.samples, 3);
	cpu.generations[1][0].outcomes.kept = (struct tprof_tally){ 1, 9 };
	assert_false(ledger_copy_cpu(&cpu, 0, &copy));
	cpu.generations[1][0].outcomes.kept.weight = 10;
	assert_true(ledger_copy_cpu(&cpu, 0, &copy));
	assert_int_equal(copy.fired.weight, 30);
	assert_int_equal(copy.outcomes.done.samples, 1);
	assert_int_equal(copy.outcomes.kept.samples, 1);
	assert_int_equal(copy.lost.stream_full.samples, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_many_cpus),
		cmocka_unit_test(stuck_in_a_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
