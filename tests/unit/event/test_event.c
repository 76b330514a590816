// SPDX-License-Identifier: GPL-2.0-only
/* Events by name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/event.h"
#include "event/event_pmu.h"

static void names(void **state)
{
	struct tprof_error error;
	struct event event;

	(void)state;
	assert_int_equal(event_parse(&event, "cpu-cycles", &error), 0);
	assert_string_equal(event.name, "cycles");
	assert_string_equal(event.unit, "cycles");
	assert_int_equal(event.type, PERF_TYPE_HARDWARE);
	assert_int_equal(event.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_false(event_is_clock(&event));
	assert_int_equal(event_parse(&event, "cpu-clock", &error), 0);
	assert_true(event_is_clock(&event));
	assert_string_equal(event.unit, "ns");
}

static void caches(void **state)
{
	struct tprof_error error;
	struct event event;

	(void)state;
	assert_int_equal(event_parse(&event, "L1-dcache-load-misses", &error), 0);
	assert_int_equal(event.type, PERF_TYPE_HW_CACHE);
	assert_int_equal(event.config, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
			 PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	assert_int_equal(event_parse(&event, "LLC-stores", &error), 0);
	assert_int_equal(event.config, PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_WRITE << 8);
	assert_int_equal(event_parse(&event, "L1-dcache-", &error), -ENOENT);
}

static void raw(void **state)
{
	struct tprof_error error;
	struct event event;

	(void)state;
	assert_int_equal(event_parse(&event, "r1a8", &error), 0);
	assert_int_equal(event.type, PERF_TYPE_RAW);
	assert_int_equal(event.config, 0x1a8);
	assert_int_equal(event_parse(&event, "r1g", &error), -ENOENT);
	assert_int_equal(event_parse(&event, "r", &error), -ENOENT);
	assert_int_equal(event_parse(&event, "rfffffffffffffffff", &error), -ENOENT);
}

static void unknown(void **state)
{
	char name[1000];
	struct tprof_error error;
	struct event event;

	(void)state;
	assert_int_equal(event_parse(&event, "no-such-event", &error), -ENOENT);
	assert_string_equal(error.text, "event no-such-event: there is no event of this name");
	assert_string_equal(error.hint, "tprof list events");
	assert_int_equal(event_parse(&event, "", &error), -ENOENT);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(event_parse(&event, name, &error), -EINVAL);
}

/* The existing tracepoints depend on the machine; invalid names do not. */
static void tracepoints(void **state)
{
	static const char *const malformed[] = {
		":", "sched:", ":sched_switch", "a:b:c", "a b:c", "..:sched_switch", "sched:..",
	};
	struct tprof_error error;
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
		assert_int_equal(event_parse(&event, malformed[i], &error), -EINVAL);
	assert_true(event_parse(&event, "nosuch:nosuch", &error) < 0);
	assert_true(error.text[0] && error.hint[0]);
}

/* With or without the word in front, it is the same, on a machine that has it and on one that has not. */
static void tracepoints_by_kind(void **state)
{
	struct event event = { 0 }, same = { 0 };
	struct tprof_error error;
	int err;

	(void)state;
	assert_int_equal(event_parse(&event, "tracepoint:sched", &error), -EINVAL);
	assert_int_equal(event_parse(&event, "tracepoint:sched:sched_switch:", &error), -EINVAL);
	err = event_parse(&event, "sched:sched_switch", &error);
	assert_int_equal(event_parse(&same, "tracepoint:sched:sched_switch", &error), err);
	assert_int_equal(same.type, PERF_TYPE_TRACEPOINT);
	assert_true(same.config == event.config);
	assert_string_equal(same.name, "tracepoint:sched:sched_switch");
	assert_true(event_is_counted_singly(&same));
}

static void places(void **state)
{
	static const struct {
		const char *name, *source, *path, *function;
		uint64_t offset;
		bool returns;
	} good[] = {
		{ "kprobe:do_sys_open", "kprobe", "", "do_sys_open", 0, false },
		{ "kprobe:do_sys_open+16", "kprobe", "", "do_sys_open", 16, false },
		{ "kprobe:nf_nat:nf_nat_packet+0x1f", "kprobe", "", "nf_nat:nf_nat_packet", 31, false },
		{ "kprobe:0xffffffff81000000", "kprobe", "", "", 0xffffffff81000000, false },
		{ "kretprobe:foo.isra.0", "kprobe", "", "foo.isra.0", 0, true },
		{ "uprobe:/bin/sh:main", "uprobe", "/bin/sh", "main", 0, false },
		{ "uprobe:a.out:ns::f(int)+0x10", "uprobe", "a.out", "ns::f(int)", 16, false },
		{ "uprobe:./a.out:operator+", "uprobe", "./a.out", "operator+", 0, false },
		{ "uprobe:./a.out:operator+(A, int)", "uprobe", "./a.out", "operator+(A, int)", 0, false },
		{ "uprobe:./a.out:0x1139", "uprobe", "./a.out", "", 0x1139, false },
		{ "uretprobe:/lib/libc.so.6:malloc", "uprobe", "/lib/libc.so.6", "malloc", 0, true },
	};
	struct tprof_error error;
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(event_parse(&event, good[i].name, &error), 0);
		assert_string_equal(event.name, good[i].name);
		assert_string_equal(event.unit, "events");
		assert_int_equal(event.type, EVENT_TYPE_SOURCE);
		assert_string_equal(event.source, good[i].source);
		assert_string_equal(event.place.path, good[i].path);
		assert_string_equal(event.place.function, good[i].function);
		assert_true(event.place.offset == good[i].offset);
		assert_int_equal(event.place.returns, good[i].returns);
		assert_true(event_is_place(&event) && event_is_counted_singly(&event) && !event_is_clock(&event));
	}
}

static void malformed_places(void **state)
{
	static const char *const malformed[] = {
		"kprobe:", "kprobe:+16", "kretprobe:", "kretprobe:f+16", "uprobe:", "uprobe:/bin/sh", "uprobe:/bin/sh:",
		"uprobe::main", "uprobe:/bin/sh:+16", "uretprobe:/bin/sh:main+4",
	};
	char name[500];
	struct tprof_error error;
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		assert_int_equal(event_parse(&event, malformed[i], &error), -EINVAL);
		assert_non_null(strstr(error.text, ": not of the form "));
		assert_true(error.hint[0]);
	}
	assert_int_equal(event_parse(&event, "uprobe:x", &error), -EINVAL);
	assert_string_equal(error.text, "event uprobe:x: not of the form uprobe:PATH:FUNCTION[+OFFSET]");
	/* A function whose name is longer than the module takes. */
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "kprobe:", strlen("kprobe:"));
	assert_int_equal(event_parse(&event, name, &error), -EINVAL);
	assert_int_equal(event_parse(&event, "cycles", &error), 0);
	assert_false(event_is_place(&event) || event_is_counted_singly(&event));
}

static void pmus(void **state)
{
	struct tprof_error error;
	struct event event;

	(void)state;
	assert_int_equal(event_parse(&event, "software/config=2/", &error), 0);
	assert_int_equal(event.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(event.config, 2);
	assert_int_equal(event_parse(&event, "no_pmu/config=2/", &error), -ENOENT);
	assert_int_equal(event_parse(&event, "software/nonsense=2/", &error), -ENOENT);
	assert_int_equal(event_parse(&event, "software/config=two/", &error), -EINVAL);
	assert_int_equal(event_parse(&event, "software/config=2", &error), -EINVAL);
	assert_int_equal(event_parse(&event, "../software/config=2/", &error), -EINVAL);
	assert_int_equal(event_parse(&event, "/config=2/", &error), -EINVAL);
	assert_int_equal(event_parse(&event, "software//", &error), -EINVAL);
}

static void formats(void **state)
{
	struct event event = { .config = ~0ULL };

	(void)state;
	assert_int_equal(event_pmu_place(&event, "config:0-7", 0x12), 0);
	assert_true(event.config == 0xffffffffffffff12ULL);
	event.config1 = 0;
	assert_int_equal(event_pmu_place(&event, "config1:4-7,32", 0x1f), 0);
	assert_true(event.config1 == 0x1000000f0ULL);
	assert_int_equal(event_pmu_place(&event, "config:0-3", 0x10), -ERANGE);
	assert_int_equal(event_pmu_place(&event, "config:64", 1), -EINVAL);
	assert_int_equal(event_pmu_place(&event, "config:7-3", 1), -EINVAL);
	assert_int_equal(event_pmu_place(&event, "config", 1), -EINVAL);
	assert_int_equal(event_pmu_place(&event, "other:0-3", 1), -EINVAL);
	assert_int_equal(event_pmu_place(&event, "config:", 1), -EINVAL);
}

/* A value that is too large, and a format that cannot be read, have sentences of their own. */
static void terms(void **state)
{
	struct event event = { .name = "p/t=16/" };
	struct tprof_error error;

	(void)state;
	assert_int_equal(event_pmu_place_term(&event, "p", "t", "config:0-3", 15, &error), 0);
	assert_int_equal(event_pmu_place_term(&event, "p", "t", "config:0-3", 16, &error), -ERANGE);
	assert_string_equal(error.text, "event p/t=16/: the value 0x10 does not fit into term t of PMU p (config:0-3)");
	assert_int_equal(event_pmu_place_term(&event, "p", "t", "config9:0-3", 1, &error), -EINVAL);
	assert_string_equal(error.text, "event p/t=16/: the kernel describes term t of PMU p in a form that tprof does "
			    "not read: config9:0-3");
	assert_string_equal(error.hint, "give the bits themselves: p/config=NUMBER/");
	assert_int_equal(event_parse(&event, "software/config=0x10000000000000000/", &error), -ERANGE);
	assert_non_null(strstr(error.text, "the value of term config is wider than 64 bits"));
}

/* The modifiers of perf are refused, with the option that does the same. */
static void modifiers(void **state)
{
	static const struct {
		const char *name, *hint;
	} modified[] = {
		{ "cycles:u", "use cycles with --user-only" },
		{ "cpu-clock:k", "use cpu-clock with --kernel-only" },
		{ "LLC-load-misses:u", "use LLC-load-misses with --user-only" },
		{ "r1a8:u", "use r1a8 with --user-only" },
		{ "cpu/cycles/u", "use cpu/cycles/ with --user-only" },
		{ "cycles:pp", "use cycles; --user-only and --kernel-only select a CPU mode" },
		{ "cpu/event=0x3c/uk", "use cpu/event=0x3c/; --user-only and --kernel-only select a CPU mode" },
	};
	static const char *const others[] = {
		"cycles:", "cycles:x", "nosuch:u", ":u", "kprobe:u", "cpu//u/", "/u", "//u", "cpu/u", "/cpu/cycles",
	};
	struct tprof_error error;
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(modified) / sizeof(modified[0]); i++) {
		assert_int_equal(event_parse(&event, modified[i].name, &error), -EINVAL);
		assert_non_null(strstr(error.text, ": modifiers of perf are not supported"));
		assert_string_equal(error.hint, modified[i].hint);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		error.text[0] = '\0';
		event_parse(&event, others[i], &error);
		assert_null(strstr(error.text, "modifiers of perf"));
	}
}

/* An event is found if one of its CPUs has it: here the first CPU does not exist. */
static void found_on_one_cpu(void **state)
{
	unsigned int ids[] = { 16000, 16001, 0 };
	struct cpus cpus = { .ids = ids, .nr = 3 };
	struct event event;
	int err;

	(void)state;
	assert_int_equal(event_parse(&event, "cpu-clock", NULL), 0);
	err = event_probe_online(&event);
	if (err == -EPERM || err == -EACCES || err == -ENOSYS) {
		print_message("# perf_event_open is not to be had\n");
		skip();
	}
	assert_int_equal(err, 0);
	assert_int_equal(event_probe(&event, &cpus), 0);
	cpus.nr = 2;
	assert_true(event_is_missing(event_probe(&event, &cpus)));
	assert_int_equal(event_parse(&event, "software/config=4711/", NULL), 0);
	assert_true(event_is_missing(event_probe_online(&event)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),	cmocka_unit_test(caches),	cmocka_unit_test(raw),
		cmocka_unit_test(unknown),	cmocka_unit_test(tracepoints),	cmocka_unit_test(pmus),
		cmocka_unit_test(formats),	cmocka_unit_test(found_on_one_cpu),
		cmocka_unit_test(places),	cmocka_unit_test(malformed_places),
		cmocka_unit_test(tracepoints_by_kind),	cmocka_unit_test(terms),	cmocka_unit_test(modifiers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
