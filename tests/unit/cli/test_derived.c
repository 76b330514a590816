// SPDX-License-Identifier: GPL-2.0-only
/* Numbers that follow from several events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../cli/stat/counts.c"
#include "../../../cli/stat/derived.c"

#define NR 11

static struct counts_event events[NR] = {
	{ "task-clock", "ns", 0 }, { "cycles", "cycles", 1 }, { "instructions", "instructions", 2 },
	{ "branches", "events", 3 }, { "branch-misses", "events", 4 }, { "L1-dcache-loads", "events", 5 },
	{ "L1-dcache-load-misses", "events", 6 }, { "page-faults", "events", 7 },
	{ "instructions:u", "instructions", 8 }, { "cycles:u", "cycles", 9 }, { "branch-misses:u", "events", 10 },
};

static struct count values[NR];
static struct counts_row row = { .name = "", .counts = values };
static struct counts counts = { .events = events, .nr_events = NR, .rows = &row, .nr_rows = 1, .elapsed_s = 2 };

static int set_up(void **state)
{
	static const double all[NR] = { 1e9, 3e9, 6e9, 1e9, 5e7, 2e9, 1e8, 1500, 4e9, 1e9, 3e6 };

	(void)state;
	for (int i = 0; i < NR; i++)
		values[i] = (struct count){ TPROF_COUNTED, .value = all[i], .enabled_ns = 10, .running_ns = 10 };
	counts.has_idle = false;
	return 0;
}

static void gives(size_t event, const char *name, const char *text)
{
	struct derived derived[DERIVED_MAX];

	assert_true(derived_of(&counts, &row, event, derived));
	assert_string_equal(derived[0].name, name);
	assert_string_equal(derived[0].text, text);
}

static size_t nr_of(size_t event)
{
	struct derived derived[DERIVED_MAX];

	return derived_of(&counts, &row, event, derived);
}

/* The second number of misses. */
static void per_instruction(size_t event, const char *text)
{
	struct derived derived[DERIVED_MAX];

	assert_int_equal(derived_of(&counts, &row, event, derived), 2);
	assert_string_equal(derived[1].name, "misses_per_thousand_instructions");
	assert_string_equal(derived[1].text, text);
}

static void of_a_command(void **state)
{
	(void)state;
	gives(0, "cpus_used", "0.500 CPUs used");
	gives(1, "ghz", "3.000 GHz");
	gives(2, "instructions_per_cycle", "2.00 instructions per cycle");
	gives(3, "per_second", "1.000 G/s of CPU time");
	gives(4, "percent", "5.00 % of branches");
	gives(6, "percent", "5.00 % of L1-dcache-loads");
	gives(7, "per_second", "1.500 K/s of CPU time");
	per_instruction(4, "8.33 per thousand instructions");
	per_instruction(6, "16.67 per thousand instructions");
}

/* Numbers of user mode are not divided by those of all modes. */
static void of_the_same_modes(void **state)
{
	(void)state;
	gives(8, "instructions_per_cycle", "4.00 instructions per cycle");
	gives(10, "misses_per_thousand_instructions", "0.75 per thousand instructions");
	assert_int_equal(nr_of(10), 1);
	values[9].state = TPROF_NOT_COUNTED;
	gives(8, "per_second", "4.000 G/s of CPU time");
}

/* The clocks of the machine include idle time. */
static void of_the_machine(void **state)
{
	(void)state;
	counts.has_idle = true;
	assert_int_equal(nr_of(0), 0);
	assert_int_equal(nr_of(1), 0);
	gives(7, "per_second", "750.000 /s");
}

static void without_the_other(void **state)
{
	(void)state;
	values[1].state = TPROF_NOT_SUPPORTED;
	values[3].state = TPROF_NOT_COUNTED;
	values[7].value = 0;
	assert_int_equal(nr_of(1), 0);
	gives(2, "per_second", "6.000 G/s of CPU time");
	gives(4, "misses_per_thousand_instructions", "8.33 per thousand instructions");
	assert_int_equal(nr_of(4), 1);
	assert_int_equal(nr_of(7), 0);
}

static void differences(void **state)
{
	struct count now = { .state = TPROF_COUNTED, .value = 300, .raw = 150, .enabled_ns = 100, .running_ns = 50 };
	const struct count before = { .state = TPROF_COUNTED, .value = 40, .raw = 30, .enabled_ns = 40,
				      .running_ns = 30 };
	struct count still = before;

	(void)state;
	subtract(&now, &before);
	assert_int_equal(now.raw, 120);
	assert_true(now.value == 360);		/* a third of the time */
	assert_int_equal(now.state, TPROF_COUNTED);
	subtract(&still, &before);
	assert_int_equal(still.state, TPROF_NOT_COUNTED);
	assert_true(still.value == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(of_a_command, set_up),
		cmocka_unit_test_setup(of_the_same_modes, set_up),
		cmocka_unit_test_setup(of_the_machine, set_up),
		cmocka_unit_test_setup(without_the_other, set_up),
		cmocka_unit_test_setup(differences, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
