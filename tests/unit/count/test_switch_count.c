// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting at context switches: a CPU gets new counters while tasks take turns on it, as after it was offline. What the
 * old ones have counted is neither lost, nor added to one task and subtracted from another.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "count/counters.h"
#include "count/switch_count.h"
#include "faults.h"

#define ROUNDS		300
#define NR_CHILDREN	2
#define PAGES		256

/* In all rounds. Their parent has more in each. */
#define FAULTS_OF_CHILD	200

static pid_t children[NR_CHILDREN];

static void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

/* Two processes that wake each other on @cpu. */
static void take_turns(int cpu)
{
	int pipes[NR_CHILDREN][2];

	for (int i = 0; i < NR_CHILDREN; i++)
		assert_int_equal(pipe(pipes[i]), 0);
	assert_int_equal(write(pipes[0][1], "", 1), 1);
	for (int i = 0; i < NR_CHILDREN; i++) {
		char byte;

		children[i] = fork();
		if (children[i])
			continue;
		run_on(cpu);
		while (read(pipes[i][0], &byte, 1) == 1 && write(pipes[!i][1], &byte, 1) == 1)
			;
		_exit(1);
	}
	for (int i = 0; i < NR_CHILDREN; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

static int end_children(void **state)
{
	(void)state;
	for (int i = 0; i < NR_CHILDREN; i++) {
		if (children[i] <= 0)
			continue;
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return 0;
}

/* The old counters stand still, but are in the table of the programs. */
static void replace(struct tprof_counters *counters, struct count_slot *slot)
{
	assert_int_equal(count_slot_enable(counters, slot, false), 0);
	assert_int_equal(count_slot_read(counters, slot), 0);
	count_slot_close(counters, slot);
	assert_int_equal(count_slot_open(counters, slot, &counters->error), 0);
	assert_int_equal(switch_count_add_cpu(counters, slot, &counters->error), 0);
	assert_int_equal(count_slot_enable(counters, slot, true), 0);
}

/* Adds the faults that all units have to @sum, and checks those of the children. */
static void add_units(const struct tprof_counters *counters, uint64_t *sum)
{
	for (size_t i = 0; i < counters->nr_units; i++) {
		struct tprof_counter_value value = { .sz = sizeof(value) };
		pid_t pid = counters->units[i]->shown.pid;

		assert_int_equal(tprof_counters__value(counters, i, 0, &value), 0);
		if (pid == children[0] || pid == children[1])
			assert_in_range(value.raw, 0, FAULTS_OF_CHILD);
		*sum += value.raw;
	}
}

static void new_counters_of_a_cpu(void **state)
{
	static const char *const names[] = { "page-faults" };
	TPROF_OPTS(tprof_counters_opts, opts, .events = names, .nr_events = 1, .per = TPROF_PER_PROCESS);
	struct tprof_error error = { 0 };
	struct tprof_counters *counters = tprof_counters__open(&opts, &error);
	uint64_t sum = 0;

	(void)state;
	if (!counters && errno == EPERM)
		skip();
	if (!counters)
		fail_msg("%s", error.text);
	if (counters->nr_slots < 2)
		skip();
	take_turns(counters->slots[0].cpu);
	assert_int_equal(tprof_counters__start(counters), 0);
	for (int i = 0; i < ROUNDS; i++) {
		run_on(counters->slots[0].cpu);
		fault_pages(PAGES);
		run_on(counters->slots[1].cpu);
		replace(counters, &counters->slots[0]);
	}
	assert_int_equal(tprof_counters__stop(counters), 0);
	add_units(counters, &sum);
	for (size_t i = 0; i < counters->nr_slots; i++)
		sum -= counters->slots[i].now[0].raw + counters->slots[i].banked[0].raw;
	assert_int_equal((int64_t)sum, 0);
	tprof_counters__close(counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(new_counters_of_a_cpu, end_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
