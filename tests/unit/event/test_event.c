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

/* For events without an address, the kernel passes an arbitrary one to the programs of perf events. */
static void addresses(void **state)
{
	static const char *const with[] = { "page-faults", "minor-faults", "major-faults", "alignment-faults" };
	static const char *const without[] = { "cpu-clock", "task-clock", "context-switches", "cycles" };
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		assert_int_equal(event_parse(&event, with[i], NULL), 0);
		assert_true(event_has_address(&event));
	}
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		assert_int_equal(event_parse(&event, without[i], NULL), 0);
		assert_false(event_has_address(&event));
	}
	event = (struct event){ .type = PERF_TYPE_BREAKPOINT };
	assert_true(event_has_address(&event));
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

/* Modifiers say where an event is counted. An alias with modifiers has the name of its event. */
static void modifiers(void **state)
{
	enum { U = EVENT_EXCLUDE_USER, K = EVENT_EXCLUDE_KERNEL, HV = EVENT_EXCLUDE_HYPERVISOR,
	       G = EVENT_EXCLUDE_GUEST, H = EVENT_EXCLUDE_HOST };
	static const struct {
		const char *name, *shown;
		uint8_t excludes;
	} modified[] = {
		{ "cycles:u", "cycles:u", K | HV },
		{ "cycles:k", "cycles:k", U | HV },
		{ "cycles:uk", "cycles:uk", HV },
		{ "cycles:h", "cycles:h", U | K },
		{ "cycles:G", "cycles:G", H },
		{ "cycles:H", "cycles:H", G },
		{ "cycles:GH", "cycles:GH", 0 },
		{ "cycles:Hu", "cycles:Hu", G | K | HV },
		{ "cs:u", "context-switches:u", K | HV },
		{ "LLC-load-misses:u", "LLC-load-misses:u", K | HV },
		{ "r1a8:k", "r1a8:k", U | HV },
		{ "software/config=2/u", "software/config=2/u", K | HV },
	};
	static const char *const others[] = {
		"nosuch:u", ":u", "kprobe:u", "cpu//u/", "/u", "//u", "cpu/u", "/cpu/cycles", "sched:sched_switch:u",
	};
	struct tprof_error error;
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(modified) / sizeof(modified[0]); i++) {
		assert_int_equal(event_parse(&event, modified[i].name, &error), 0);
		assert_string_equal(event.name, modified[i].shown);
		assert_int_equal(event.excludes, modified[i].excludes);
		assert_int_equal(event.precise, 0);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		event_parse(&event, others[i], &error);
		assert_int_equal(event.excludes, 0);
	}
}

static void wrong_modifiers(void **state)
{
	static const struct {
		const char *name, *text, *hint;
		int err;
	} wrong[] = {
		{ "cycles:uS", "event cycles:uS: the modifier S is not supported",
		  "the modifiers are u, k, h, G, H, p and P; man tprof-list", -EINVAL },
		{ "cycles:x", "event cycles:x: the modifier x is not supported",
		  "the modifiers are u, k, h, G, H, p and P; man tprof-list", -EINVAL },
		{ "page-faults:u:k", "event page-faults:u:k: the modifier : is not supported",
		  "the modifiers are u, k, h, G, H, p and P; man tprof-list", -EINVAL },
		{ "cycles:", "event cycles:: no modifier follows",
		  "the modifiers are u, k, h, G, H, p and P; man tprof-list", -EINVAL },
		{ "software/config=2/x", "event software/config=2/x: the modifier x is not supported",
		  "the modifiers are u, k, h, G, H, p and P; man tprof-list", -EINVAL },
		{ "cycles:pppp", "event cycles:pppp: there are at most three p",
		  "use P for as precise as the machine can", -EINVAL },
		{ "cs:G", "event context-switches:G: only counters of the hardware tell guests from the host",
		  "leave G and H out", -EINVAL },
		{ "software/config=0x10000000000000000/u",
		  "event software/config=0x10000000000000000/u: the value of term config is wider than 64 bits", "",
		  -ERANGE },
	};
	struct tprof_error error;
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error = (struct tprof_error){ 0 };
		assert_int_equal(event_parse(&event, wrong[i].name, &error), wrong[i].err);
		assert_string_equal(error.text, wrong[i].text);
		assert_string_equal(error.hint, wrong[i].hint);
	}
	/* No machine has precise addresses of events of the kernel. */
	assert_int_equal(event_parse(&event, "page-faults:p", &error), -EINVAL);
	assert_non_null(strstr(error.text, " precise addresses"));
	assert_int_equal(event_parse(&event, "page-faults:P", &error), 0);
}

static void of_switches(void **state)
{
	static const char *const names[] = { "off-cpu", "on-cpu", "wakeup" };
	struct event event;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(event_parse(&event, names[i], NULL), 0);
		assert_true(event_is_of_switches(&event));
		assert_true(tprof_event__is_of_switches(names[i]));
	}
	assert_false(tprof_event__is_of_switches("cpu-clock"));
	assert_false(tprof_event__is_of_switches("off-cp"));
}

/* A clock counts in all modes, because the kernel would lose its other samples; the session leaves them out. */
static void attr_of_modifiers(void **state)
{
	struct perf_event_attr attr;
	struct event event;

	(void)state;
	assert_int_equal(event_parse(&event, "page-faults:u", NULL), 0);
	event_attr_init(&attr, &event, 1);
	assert_true(attr.exclude_kernel && attr.exclude_hv && !attr.exclude_user && !attr.exclude_guest);
	assert_int_equal(event_parse(&event, "cycles:kG", NULL), 0);
	event_attr_init(&attr, &event, 1);
	assert_true(!attr.exclude_kernel && attr.exclude_hv && attr.exclude_user && attr.exclude_host);
	assert_int_equal(event_parse(&event, "cpu-clock:u", NULL), 0);
	event_attr_init(&attr, &event, 1000000);
	assert_false(attr.exclude_kernel || attr.exclude_user || attr.exclude_hv);
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
		cmocka_unit_test(addresses),
		cmocka_unit_test(names),	cmocka_unit_test(caches),	cmocka_unit_test(raw),
		cmocka_unit_test(unknown),	cmocka_unit_test(tracepoints),	cmocka_unit_test(pmus),
		cmocka_unit_test(formats),	cmocka_unit_test(found_on_one_cpu),
		cmocka_unit_test(places),	cmocka_unit_test(malformed_places),
		cmocka_unit_test(tracepoints_by_kind),	cmocka_unit_test(terms),	cmocka_unit_test(modifiers),
		cmocka_unit_test(wrong_modifiers),	cmocka_unit_test(attr_of_modifiers),
		cmocka_unit_test(of_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
