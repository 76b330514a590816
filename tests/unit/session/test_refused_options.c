// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options that are out of range or exclude each other are refused. The message begins with the members of the struct,
 * so that a command can name its own options instead, and the hint says what to do.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tprof.h"
#include "tprof/object.h"

static void assert_says(const char *text, const char *hint, const char *start)
{
	if (strncmp(text, start, strlen(start)) != 0)
		fail_msg("'%s' does not begin with '%s'", text, start);
	assert_true(hint[0]);
}

static void refuses(struct tprof_session_opts opts, const char *start)
{
	struct tprof_error error = { 0 };

	opts.sz = sizeof(opts);
	assert_null(tprof_session__open(&opts, &error));
	assert_int_equal(errno, EINVAL);
	assert_says(error.text, error.hint, start);
	assert_null(tprof_session__open(&opts, NULL));
	assert_int_equal(errno, EINVAL);
}

static void sessions(void **state)
{
	(void)state;
	refuses((struct tprof_session_opts){ .rate_hz = TPROF_RATE_HZ_MAX + 1 }, "rate_hz 100001: ");
	refuses((struct tprof_session_opts){ .period = (uint64_t)INT64_MAX + 1 }, "period 9223372036854775808: ");
	refuses((struct tprof_session_opts){ .rate_hz = 1, .period = 1 }, "rate_hz and period exclude each other");
	refuses((struct tprof_session_opts){ .stream_bytes = 1 }, "stream_bytes 1: ");
	refuses((struct tprof_session_opts){ .stream_bytes = 3 << 16 }, "stream_bytes 196608: ");
	refuses((struct tprof_session_opts){ .stream_bytes = 1 << 27 }, "stream_bytes 134217728: ");
	refuses((struct tprof_session_opts){ .kernel_only = true, .user_only = true },
		"kernel_only and user_only exclude each other");
}

static void refuses_events(struct tprof_event_opts first, struct tprof_event_opts second, const char *start)
{
	struct tprof_event_opts events[] = { first, second };

	events[0].sz = events[1].sz = sizeof(events[0]);
	refuses((struct tprof_session_opts){ .events = events, .nr_events = 2 }, start);
}

static void several_events(void **state)
{
	struct tprof_event_opts many[TPROF_EVENTS_MAX + 1] = { 0 };
	struct tprof_session_opts opts = { .sz = sizeof(opts), .events = many, .nr_events = TPROF_EVENTS_MAX + 1 };
	const struct tprof_event_opts clock = { .event = "cpu-clock" }, faults = { .event = "page-faults" };
	struct tprof_event_opts two[] = { clock, faults };
	struct tprof_error error = { 0 };

	(void)state;
	refuses((struct tprof_session_opts){ .nr_events = 2 }, "events is NULL, but nr_events is 2");
	refuses((struct tprof_session_opts){ .events = two, .nr_events = 2, .event = "cpu-clock" },
		"event and events exclude each other");
	refuses((struct tprof_session_opts){ .events = two, .nr_events = 2, .rate_hz = 99 },
		"rate_hz and events exclude each other");
	refuses((struct tprof_session_opts){ .events = two, .nr_events = 2, .period = 1 },
		"period and events exclude each other");
	assert_null(tprof_session__open(&(struct tprof_session_opts){
		.sz = sizeof(opts), .events = two, .nr_events = 2 }, &error));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(error.text, "event options: sz is not set");
	refuses_events(clock, (struct tprof_event_opts){ 0 }, "events[1].event is NULL");
	refuses_events((struct tprof_event_opts){ .event = "cpu-clock", .rate_hz = TPROF_RATE_HZ_MAX + 1 }, faults,
		       "rate_hz 100001: ");
	refuses_events(clock, (struct tprof_event_opts){ .event = "page-faults", .rate_hz = 1, .period = 1 },
		       "rate_hz and period exclude each other");
	assert_null(tprof_session__open(&opts, &error));
	assert_int_equal(errno, E2BIG);
	assert_says(error.text, error.hint, "events: 9 are given, and a session has at most 8");
}

/* A list that could not be allocated does not mean "all". */
static void lists(void **state)
{
	static const char *const cgroups[] = { "/", NULL };

	(void)state;
	refuses((struct tprof_session_opts){ .nr_pids = 3 }, "pids is NULL, but nr_pids is 3");
	refuses((struct tprof_session_opts){ .nr_tids = 1 }, "tids is NULL, but nr_tids is 1");
	refuses((struct tprof_session_opts){ .nr_cgroups = 1 }, "cgroups is NULL, but nr_cgroups is 1");
	refuses((struct tprof_session_opts){ .cgroups = cgroups, .nr_cgroups = 2 }, "cgroups[1] is NULL");
}

static int ignore(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	(void)ctx;
	(void)info;
	(void)sample;
	return 0;
}

static void owners(void **state)
{
	(void)state;
	for (int owner = -1; owner <= TPROF_OWNER_CPU + 1; owner += TPROF_OWNER_CPU + 2) {
		TPROF_OPTS(tprof_read_opts, opts, .owner = (enum tprof_owner)owner);
		struct tprof_error error = { 0 };

		assert_null(tprof_profile__read_part(-1, "x", &opts, &error));
		assert_int_equal(errno, EINVAL);
		assert_says(error.text, error.hint, "owner ");
		assert_int_equal(tprof_raw__each(-1, "x", &opts, ignore, NULL, NULL, &error), -EINVAL);
	}
}

static void files(void **state)
{
	struct tprof_error error = { 0 };

	(void)state;
	assert_int_equal(tprof_raw__each(-1, "x", NULL, ignore, NULL, NULL, &error), -EBADF);
	assert_says(error.text, error.hint, "x: ");
	assert_null(tprof_filter__open("/", &error));
	assert_int_equal(errno, ENOEXEC);
	assert_says(error.text, error.hint, "/: not a compiled filter");
}

static void parts(void **state)
{
	(void)state;
	for (uint64_t from_ns = 1; from_ns <= 2; from_ns++) {
		TPROF_OPTS(tprof_read_opts, opts, .from_ns = from_ns, .to_ns = 1);
		struct tprof_error error = { 0 };

		assert_null(tprof_profile__read_part(-1, "x", &opts, &error));
		assert_int_equal(errno, EINVAL);
		assert_says(error.text, error.hint, "from_ns and to_ns ");
	}
}

static struct tprof_filter *open_filter(const char *name)
{
	const char *build = getenv("TPROF_BUILD");
	struct tprof_filter *filter;
	char path[512];

	snprintf(path, sizeof(path), "%s/filters/%s.bpf.o", build ? build : "build", name);
	filter = tprof_filter__open(path, NULL);
	assert_non_null(filter);
	return filter;
}

static void depth_of_stacks(void **state)
{
	static const uint32_t wrong[] = {
		0, TPROF_STACK_MIN_FRAMES - 1, TPROF_STACK_MAX_FRAMES + 1, UINT32_MAX,
	};
	struct tprof_filter *filter = open_filter("stacks");

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char start[64];

		snprintf(start, sizeof(start), "stacks of %u frames: ", wrong[i]);
		assert_int_equal(tprof_filter__set_stack_frames(filter, wrong[i]), -ERANGE);
		assert_says(tprof_filter__error(filter), tprof_filter__hint(filter), start);
	}
	assert_int_equal(tprof_filter__set_stack_frames(filter, TPROF_STACK_MIN_FRAMES), 0);
	assert_int_equal(tprof_filter__set_stack_frames(filter, TPROF_STACK_MAX_FRAMES), 0);
	tprof_filter__free(filter);
}

/* At once, not only when the filter is loaded; the value before stays. */
static void size_of_copies(void **state)
{
	static const char *const wrong[] = { "0", "1016", "1028", "65536", "4294967288" };
	static const char *const right[] = { "1024", "0x400", "8200", "65528" };
	struct tprof_param_info param = { .sz = sizeof(param) };
	struct tprof_filter *filter = open_filter("dwarf");

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		assert_int_equal(tprof_filter__set(filter, TPROF_COPY_PARAM, right[i]), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(tprof_filter__set(filter, TPROF_COPY_PARAM, wrong[i]), -EINVAL);
		assert_says(tprof_filter__error(filter), tprof_filter__hint(filter), "filter dwarf: a stack copy ");
	}
	assert_int_equal(tprof_filter__param(filter, 0, &param), 0);
	assert_string_equal(param.name, TPROF_COPY_PARAM);
	assert_string_equal(param.value, "65528");
	tprof_filter__free(filter);
}

static void names_and_values_of_filters(void **state)
{
	struct tprof_filter *filter = open_filter("dwarf");

	(void)state;
	assert_int_equal(tprof_filter__set(filter, TPROF_COPY_PARAM, "much"), -EINVAL);
	assert_says(tprof_filter__error(filter), tprof_filter__hint(filter), "parameter stack_bytes: much is not ");
	assert_int_equal(tprof_filter__set(filter, TPROF_COPY_PARAM, "-1"), -ERANGE);
	assert_says(tprof_filter__error(filter), tprof_filter__hint(filter), "parameter stack_bytes: -1 does not ");
	assert_int_equal(tprof_filter__set_table_entries(filter, "none", 5), -ENOENT);
	assert_says(tprof_filter__error(filter), tprof_filter__hint(filter), "filter dwarf: has no table none");
	tprof_filter__free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions),
		cmocka_unit_test(several_events),
		cmocka_unit_test(lists),
		cmocka_unit_test(owners),
		cmocka_unit_test(files),
		cmocka_unit_test(names_and_values_of_filters),
		cmocka_unit_test(parts),
		cmocka_unit_test(depth_of_stacks),
		cmocka_unit_test(size_of_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
