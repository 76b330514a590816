// SPDX-License-Identifier: GPL-2.0-only
/* The PMUs of CPUs, in directories like those of sysfs. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "event/event_core.h"

static char sysfs[] = "/tmp/tprof-core.XXXXXX";

static void write_file(const char *pmu, const char *file, const char *text)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", sysfs, pmu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", sysfs, pmu, file);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void read_for(struct core_pmus *pmus, const char *list)
{
	struct cpus cpus;

	assert_int_equal(cpus_parse(&cpus, list), 0);
	event_core_pmus(pmus, sysfs, &cpus);
	cpus_release(&cpus);
}

/* PMUs without the file cpus are not those of CPUs, such as the cpumask of one of the chip. */
static void of_a_machine(void **state)
{
	struct core_pmus pmus;

	(void)state;
	read_for(&pmus, "0-7");
	assert_int_equal(pmus.nr, 0);
	write_file("software", "type", "1\n");
	write_file("uncore_imc", "type", "20\n");
	write_file("uncore_imc", "cpumask", "0\n");
	write_file("cpu_core", "type", "4\n");
	write_file("cpu_core", "cpus", "0-3\n");
	read_for(&pmus, "0-7");
	assert_false(pmus.hybrid);
	assert_int_equal(pmus.nr, 0);
	assert_true(event_is_core_pmu(sysfs, "cpu_core"));
	assert_false(event_is_core_pmu(sysfs, "uncore_imc"));
	write_file("cpu_atom", "type", "10\n");
	write_file("cpu_atom", "cpus", "4-7\n");
	/* One whose CPUs are not there. */
	write_file("cpu_none", "type", "11\n");
	write_file("cpu_none", "cpus", "\n");
	read_for(&pmus, "0-7");
	assert_true(pmus.hybrid);
	assert_int_equal(pmus.nr, 2);
	assert_string_equal(pmus.all[0].name, "cpu_core");
	assert_int_equal(pmus.all[0].type, 4);
	assert_string_equal(pmus.all[1].name, "cpu_atom");
	read_for(&pmus, "5,6");
	assert_true(pmus.hybrid);
	assert_int_equal(pmus.nr, 1);
	assert_string_equal(pmus.all[0].name, "cpu_atom");
	read_for(&pmus, "9");
	assert_int_equal(pmus.nr, 0);
}

static void names(void **state)
{
	static const char *const own[] = { "cycles", "cpu-cycles:u", "LLC-loads", "r1a8", "r1a8:k" };
	static const char *const others[] = { "cpu-clock", "page-faults:u", "cpu_core/cycles/", "sched:sched_switch",
					      "kprobe:cycles", "off-cpu", "on-cpu", "", "nothing" };
	char name[64], text[80];

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_true(event_is_of_core(own[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(event_is_of_core(others[i]));
	assert_int_equal(event_core_name(name, sizeof(name), "cycles", "cpu_core"), 0);
	assert_string_equal(name, "cpu_core/cycles/");
	assert_int_equal(event_core_name(name, sizeof(name), "r1a8:uk", "cpu_atom"), 0);
	assert_string_equal(name, "cpu_atom/r1a8/uk");
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(event_core_name(name, sizeof(name), text, "cpu_atom"), -22);
}

/* The PMU is in the config of events that all PMUs have, and the type of those that are its own. */
static void numbers(void **state)
{
	struct event event = { .type = 10 };

	(void)state;
	assert_true(event_parse_of_core(&event, "instructions"));
	assert_int_equal(event.type, PERF_TYPE_HARDWARE);
	assert_true(event.config == (10ULL << 32 | PERF_COUNT_HW_INSTRUCTIONS));
	assert_string_equal(event.unit, "instructions");
	event = (struct event){ .type = 10 };
	assert_true(event_parse_of_core(&event, "LLC-loads"));
	assert_int_equal(event.type, PERF_TYPE_HW_CACHE);
	assert_true(event.config == (10ULL << 32 | PERF_COUNT_HW_CACHE_LL));
	event = (struct event){ .type = 10 };
	assert_true(event_parse_of_core(&event, "r1a8"));
	assert_int_equal(event.type, 10);
	assert_true(event.config == 0x1a8);
	assert_false(event_parse_of_core(&event, "page-faults"));
	assert_int_equal(event.type, 10);
}

static int make(void **state)
{
	(void)state;
	return mkdtemp(sysfs) ? 0 : -1;
}

static int clean(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", sysfs);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_machine),
		cmocka_unit_test(names),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
