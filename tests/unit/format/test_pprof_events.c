// SPDX-License-Identifier: GPL-2.0-only
/* pprof files of several events: all values and ledgers come back, and one event can be chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include <cmocka.h>

#include "profile/ledger.h"
#include "pprof_fixture.h"

#define NR_EVENTS 3

static const struct tprof_event_info events[NR_EVENTS] = {
	{ .event = "cpu-clock", .unit = "ns", .rate_hz = 99, .period = 10163434 },
	{ .event = "page-faults", .unit = "events", .period = 1 },
	{ .event = "sched:sched_switch", .unit = "events", .period = 7 },
};

static void add(struct tprof_profile *profile, size_t event, uint64_t samples, const struct tprof_frame *leaf)
{
	const struct tprof_frame *const frames[] = { leaf, &frame_main };
	const struct tprof_call_stack call_stack = {
		.frames = frames, .nr_frames = 2, .comm = "app", .cgroup = "/", .pid = 7, .samples = samples,
		.weight = samples * events[event].period,
	};
	const struct tprof_entry entry = {
		.symbol = leaf->symbol, .object = leaf->object, .comm = "app", .cgroup = "/", .pid = 7, .cpu = -1,
		.mode = leaf->mode, .samples = samples, .weight = samples * events[event].period,
	};

	assert_int_equal(profile_add_of(profile, &entry, event), 0);
	assert_int_equal(profile_add_call_stack_of(profile, &call_stack, event), 0);
}

/* 4, 70 and 1 samples; two call stacks, one of them of the second event only. */
static struct tprof_profile *some_events(void)
{
	struct tprof_profile *profile = profile_new();
	const struct tprof_info info = { .engine = "perf", .event = "cpu-clock", .unit = "ns", .rate_hz = 99,
					 .period = 10163434, .nr_cpus = 2, .nr_online = 2 };
	const uint64_t counted[NR_EVENTS] = { 4, 70, 1 };

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	assert_int_equal(profile_set_events(profile, events, NR_EVENTS), 0);
	add(profile, 0, 4, &frame_hot);
	add(profile, 1, 50, &frame_read);
	add(profile, 1, 20, &frame_hot);
	add(profile, 2, 1, &frame_hot);
	for (size_t e = 0; e < NR_EVENTS; e++) {
		profile->events[e].ledger = some_ledger(counted[e]);
		ledger_add(&profile->ledger, &profile->events[e].ledger);
	}
	profile->duration_ns = 1000000007;
	profile_finish(profile);
	return profile;
}

static struct tprof_profile *read_value(int fd, const char *value, const char *says)
{
	TPROF_OPTS(tprof_read_opts, opts, .value = value);
	struct tprof_error error = { 0 };
	struct tprof_profile *profile = tprof_profile__read_part(fd, "test", &opts, &error);

	assert_string_equal(error.text, says);
	close(fd);
	return profile;
}

static void same_tally(struct tprof_tally a, struct tprof_tally b)
{
	assert_int_equal(a.samples, b.samples);
	assert_int_equal(a.weight, b.weight);
}

static void all_come_back(void **state)
{
	struct tprof_profile *profile = some_events(), *back = read_back(exported(profile));

	(void)state;
	assert_int_equal(tprof_profile__nr_events(back), NR_EVENTS);
	assert_int_equal(tprof_profile__nr_entries(back), 2);
	assert_int_equal(tprof_profile__nr_call_stacks(back), 2);
	for (size_t e = 0; e < NR_EVENTS; e++) {
		const struct tprof_event_info *event = tprof_profile__event(back, e);
		const struct tprof_ledger *a = tprof_profile__event_ledger(profile, e);
		const struct tprof_ledger *b = tprof_profile__event_ledger(back, e);

		assert_string_equal(event->event, events[e].event);
		assert_string_equal(event->unit, events[e].unit);
		assert_int_equal(event->rate_hz, events[e].rate_hz);
		assert_int_equal(event->period, events[e].period);
		assert_memory_equal(a, b, sizeof(*a));
		for (size_t i = 0; i < 2; i++) {
			same_tally(tprof_profile__entry_value(profile, i, e), tprof_profile__entry_value(back, i, e));
			same_tally(tprof_profile__call_stack_value(profile, i, e),
				   tprof_profile__call_stack_value(back, i, e));
		}
	}
	assert_memory_equal(tprof_profile__ledger(profile), tprof_profile__ledger(back), sizeof(struct tprof_ledger));
	tprof_profile__free(back);
	tprof_profile__free(profile);
}

/* The event that is chosen is the same as tprof_profile__of_event() makes it. */
static void one_is_chosen(void **state)
{
	struct tprof_profile *profile = some_events();

	(void)state;
	for (size_t e = 0; e < NR_EVENTS; e++) {
		struct tprof_profile *one = tprof_profile__of_event(profile, e);
		struct tprof_profile *read = read_value(exported(profile), events[e].event, "");

		assert_int_equal(tprof_profile__nr_events(read), 1);
		assert_string_equal(tprof_profile__info(read)->event, events[e].event);
		assert_int_equal(tprof_profile__info(read)->period, events[e].period);
		assert_int_equal(tprof_profile__nr_entries(read), tprof_profile__nr_entries(one));
		assert_int_equal(tprof_profile__entry(read, 0)->weight, tprof_profile__entry(one, 0)->weight);
		assert_string_equal(tprof_profile__entry(read, 0)->symbol, tprof_profile__entry(one, 0)->symbol);
		assert_int_equal(tprof_profile__ledger(read)->fired.samples,
				 tprof_profile__event_ledger(profile, e)->fired.samples);
		tprof_profile__free(read);
		tprof_profile__free(one);
	}
	tprof_profile__free(profile);
}

static void others_are_refused(void **state)
{
	struct tprof_profile *profile = some_events();

	(void)state;
	assert_null(read_value(exported(profile), "cycles", "test: has no sample value named cycles"));
	assert_null(read_value(exported(profile), "page-faults_samples",
			       "test: has no sample value named page-faults_samples"));
	assert_null(tprof_profile__of_event(profile, NR_EVENTS));
	tprof_profile__free(profile);
}

/* Merging adds each event; another set of events is not added. */
static void the_same_events_are_added(void **state)
{
	struct tprof_profile *whole = some_events(), *more = some_events(), *one = tprof_profile__of_event(more, 1);

	(void)state;
	assert_int_equal(tprof_profile__merge(whole, more), 0);
	for (size_t e = 0; e < NR_EVENTS; e++) {
		assert_int_equal(tprof_profile__event_ledger(whole, e)->fired.samples,
				 2 * tprof_profile__event_ledger(more, e)->fired.samples);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(tprof_profile__entry_value(whole, i, e).weight,
					 2 * tprof_profile__entry_value(more, i, e).weight);
	}
	assert_int_equal(tprof_profile__merge(whole, one), -EINVAL);
	assert_int_equal(tprof_profile__merge(one, whole), -EINVAL);
	tprof_profile__free(one);
	tprof_profile__free(more);
	tprof_profile__free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_come_back),
		cmocka_unit_test(one_is_chosen),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(the_same_events_are_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
