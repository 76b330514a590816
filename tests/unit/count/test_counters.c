// SPDX-License-Identifier: GPL-2.0-only
/* Counters of this process, which needs no privileges: values, groups, states, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "count/counters.h"
#include "faults.h"

#define PAGES 64

static struct tprof_counters *open_own(const char *events, pid_t *own)
{
	static const char *names[1];
	struct tprof_error error = { 0 };
	TPROF_OPTS(tprof_counters_opts, opts, .events = names, .nr_events = 1, .pids = own, .nr_pids = 1,
		   .user_only = true);
	struct tprof_counters *counters;

	names[0] = events;
	*own = getpid();
	counters = tprof_counters__open(&opts, &error);
	if (!counters && errno == EPERM)
		skip();
	if (!counters)
		fail_msg("%s", error.text);
	return counters;
}

static uint64_t value_of(const struct tprof_counters *counters, size_t event)
{
	struct tprof_counter_value value = { .sz = sizeof(value) };

	assert_int_equal(tprof_counters__value(counters, 0, event, &value), 0);
	assert_int_equal(value.state, TPROF_COUNTED);
	assert_int_equal(value.enabled_ns, value.running_ns);
	assert_int_equal(value.value, value.raw);
	return value.value;
}

static void counts_faults_in_a_group(void **state)
{
	pid_t own;
	struct tprof_counters *counters = open_own("task-clock,{page-faults,minor-faults}", &own);
	uint64_t first;

	(void)state;
	assert_int_equal(tprof_counters__nr_events(counters), 3);
	assert_int_equal(tprof_counters__event(counters, 1)->group, 1);
	assert_int_equal(tprof_counters__event(counters, 2)->group, 1);
	assert_string_equal(tprof_counters__event(counters, 0)->unit, "ns");
	assert_null(tprof_counters__event(counters, 3));
	assert_null(tprof_counters__unit(counters, 1));
	assert_int_equal(tprof_counters__start(counters), 0);
	fault_pages(PAGES);
	assert_int_equal(tprof_counters__stop(counters), 0);
	first = value_of(counters, 1);
	assert_in_range(first, PAGES, PAGES + 20);
	assert_int_equal(value_of(counters, 2), first);
	assert_true(value_of(counters, 0) > 0);
	/* It goes on where it was. */
	fault_pages(PAGES);
	assert_int_equal(tprof_counters__start(counters), 0);
	fault_pages(PAGES);
	assert_int_equal(tprof_counters__read(counters), 0);
	assert_in_range(value_of(counters, 1), first + PAGES, first + PAGES + 20);
	tprof_counters__close(counters);
}

static void wrong_order(void **state)
{
	pid_t own;
	struct tprof_counters *counters = open_own("page-faults", &own);
	struct tprof_counter_value value = { .sz = sizeof(value) };

	(void)state;
	assert_int_equal(tprof_counters__read(counters), -EINVAL);
	assert_int_equal(tprof_counters__stop(counters), -EINVAL);
	assert_string_equal(tprof_counters__error(counters), "the counters are not started");
	assert_int_equal(tprof_counters__value(counters, 0, 0, &value), 0);
	assert_int_equal(value.state, TPROF_NOT_COUNTED);
	assert_int_equal(tprof_counters__value(counters, 1, 0, &value), -EINVAL);
	assert_int_equal(tprof_counters__value(counters, 0, 1, &value), -EINVAL);
	value.sz = 0;
	assert_int_equal(tprof_counters__value(counters, 0, 0, &value), -EINVAL);
	assert_int_equal(tprof_counters__start(counters), 0);
	assert_int_equal(tprof_counters__start(counters), -EBUSY);
	assert_false(tprof_counters__targets_gone(counters));
	tprof_counters__close(counters);
	tprof_counters__close(NULL);
}

/* In a child, calls fail and the counters of the parent go on. */
static void a_child_does_not_own_them(void **state)
{
	pid_t own, child;
	struct tprof_counters *counters = open_own("page-faults", &own);
	bool is_refused;
	uint64_t first;
	int status;

	(void)state;
	assert_int_equal(tprof_counters__start(counters), 0);
	child = fork();
	if (!child) {
		is_refused = tprof_counters__stop(counters) == -EBUSY && tprof_counters__read(counters) == -EBUSY &&
			     tprof_counters__start(counters) == -EBUSY && !tprof_counters__targets_gone(counters) &&
			     strstr(tprof_counters__error(counters), "has forked this one");
		tprof_counters__close(counters);
		_exit(is_refused ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(tprof_counters__read(counters), 0);
	first = value_of(counters, 0);
	fault_pages(PAGES);
	assert_int_equal(tprof_counters__stop(counters), 0);
	assert_in_range(value_of(counters, 0), first + PAGES, first + PAGES + 20);
	tprof_counters__close(counters);
}

static void refuse(const struct tprof_counters_opts *opts, int err, const char *why)
{
	struct tprof_error error = { 0 };

	assert_null(tprof_counters__open(opts, &error));
	if (errno != err || !strstr(error.text, why))
		fail_msg("%d: %s, wanted %d: %s", errno, error.text, err, why);
}

static void options_exclude_each_other(void **state)
{
	const pid_t own = getpid(), none = -3;
	const char *const paths[] = { "/" };
	TPROF_OPTS(tprof_counters_opts, both, .user_only = true, .kernel_only = true);
	TPROF_OPTS(tprof_counters_opts, ids, .pids = &own, .nr_pids = 1, .tids = &own, .nr_tids = 1);
	TPROF_OPTS(tprof_counters_opts, cgroups, .pids = &own, .nr_pids = 1, .cgroups = paths, .nr_cgroups = 1);
	TPROF_OPTS(tprof_counters_opts, threads, .tids = &own, .nr_tids = 1, .per = TPROF_PER_CGROUP);
	TPROF_OPTS(tprof_counters_opts, list, .nr_pids = 1);
	TPROF_OPTS(tprof_counters_opts, per, .per = 17);
	TPROF_OPTS(tprof_counters_opts, exec, .enable_on_exec = true);
	TPROF_OPTS(tprof_counters_opts, id, .pids = &none, .nr_pids = 1);
	const struct tprof_counters_opts unsized = { 0 };

	(void)state;
	refuse(&both, EINVAL, "user_only and kernel_only exclude each other");
	refuse(&ids, EINVAL, "pids and tids exclude each other");
	refuse(&cgroups, EINVAL, "cgroups and pids exclude each other");
	refuse(&threads, EINVAL, "TPROF_PER_CGROUP and tids exclude each other");
	refuse(&list, EINVAL, "pids is NULL");
	refuse(&per, EINVAL, "there is no such unit");
	refuse(&exec, EINVAL, "enable_on_exec needs one process");
	refuse(&id, EINVAL, "not the id of a process");
	refuse(&unsized, EINVAL, "counters options");
}

static void refuse_events(const char *events, int err, const char *why)
{
	const char *const names[] = { events };
	const pid_t own = getpid();
	TPROF_OPTS(tprof_counters_opts, opts, .events = names, .nr_events = 1, .pids = &own, .nr_pids = 1,
		   .user_only = true);

	refuse(&opts, err, why);
}

static void events_are_refused(void **state)
{
	char many[40 * TPROF_COUNTERS_MAX_EVENTS] = "r1";

	(void)state;
	refuse_events("page-faults,faults", EINVAL, "event page-faults: is given twice");
	refuse_events("nothing", ENOENT, "there is no event of this name");
	refuse_events("{page-faults", EINVAL, "a brace is not closed");
	refuse_events("kprobe:do_exit", EINVAL, "can be sampled, but not counted");
	for (int i = 2; i < TPROF_COUNTERS_MAX_EVENTS + 2; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",r%x", i);
	refuse_events(many, E2BIG, "at most 32");
}

static void multiplexed_values_are_scaled(void **state)
{
	const struct count_reading half = { .raw = 100, .enabled_ns = 1000, .running_ns = 500 };
	const struct count_reading all = { .raw = 100, .enabled_ns = 1000, .running_ns = 1000 };
	const struct count_reading none = { .enabled_ns = 1000 };

	(void)state;
	assert_true(count_scale(&half) == 200);
	assert_true(count_scale(&all) == 100);
	assert_true(count_scale(&none) == 0);
}

/* The thread ran for 1000 ns, and 400 ns of it on the CPU. */
static void bound_to_a_cpu(void **state)
{
	struct count_event events[] = {
		{ .event.type = PERF_TYPE_SOFTWARE, .shown.group = 0 },
		{ .event.type = PERF_TYPE_HARDWARE, .shown.group = 1 },
		{ .event.type = PERF_TYPE_HARDWARE, .shown.group = 2 },
		{ .event.type = PERF_TYPE_SOFTWARE, .shown.group = 2 },
		{ .event.type = PERF_TYPE_HARDWARE, .shown.group = 4 },
	};
	struct count_reading now[] = {
		{ 100, 1000, 399 }, { 100, 1000, 401 }, { 100, 1000, 200 }, { 100, 1000, 200 }, { 0, 1000, 0 },
	};
	const struct tprof_counters counters = { .events = events, .nr_events = 5 };
	struct count_slot slot = { .pid = 1, .cpu = 0, .now = now, .reference_ns = 400 };

	(void)state;
	count_bound_correct(&counters, &slot);
	assert_true(count_scale(&now[0]) == 100);
	assert_true(count_scale(&now[1]) == 100);
	assert_int_equal(now[1].enabled_ns, 401);
	assert_true(count_scale(&now[2]) == 200);
	assert_true(count_scale(&now[3]) == 200);
	assert_int_equal(now[4].enabled_ns, 400);
	/* Other slots keep their times. */
	slot.cpu = -1;
	now[0].enabled_ns = 1000;
	count_bound_correct(&counters, &slot);
	assert_int_equal(now[0].enabled_ns, 1000);
}

/* A thread on a hybrid machine, 1000 ns: 300 and 700 ns on the CPUs of the types; a group, multiplexed to a half. */
static void of_types_of_cpus(void **state)
{
	struct count_event events[] = {
		{ .nr_alike = 2, .alike_step = 1 }, { .nr_alike = 0 },
		{ .nr_alike = 2, .alike_step = 2 }, { .nr_alike = 2, .alike_step = 2 },
		{ .nr_alike = 0 }, { .nr_alike = 0 },
		{ .nr_alike = 0 },
	};
	struct count_reading now[] = {
		{ 30, 1000, 299 }, { 70, 1000, 700 },
		{ 30, 1000, 100 }, { 30, 1000, 0 }, { 70, 1000, 400 }, { 70, 1000, 0 },
		{ 10, 1000, 500 },
	};
	const struct tprof_counters counters = { .events = events, .nr_events = 7 };
	struct count_slot slot = { .pid = 1, .cpu = 0, .now = now };

	(void)state;
	count_alike_correct(&counters, &slot);
	assert_int_equal(now[0].enabled_ns, 1000);
	slot.cpu = -1;
	count_alike_correct(&counters, &slot);
	assert_int_equal(now[0].enabled_ns, 299);
	assert_int_equal(now[1].enabled_ns, 700);
	assert_int_equal(now[2].enabled_ns, 200);
	assert_int_equal(now[4].enabled_ns, 800);
	/* Nothing has run, and an event of one PMU. */
	assert_int_equal(now[3].enabled_ns, 1000);
	assert_int_equal(now[6].enabled_ns, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_faults_in_a_group),
		cmocka_unit_test(wrong_order),
		cmocka_unit_test(a_child_does_not_own_them),
		cmocka_unit_test(options_exclude_each_other),
		cmocka_unit_test(events_are_refused),
		cmocka_unit_test(multiplexed_values_are_scaled),
		cmocka_unit_test(bound_to_a_cpu),
		cmocka_unit_test(of_types_of_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
