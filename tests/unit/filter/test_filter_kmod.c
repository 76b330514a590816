// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's half of filters: the flags of shipped ones, which stacks the filter walks; and the map and programs for
 * each kind of session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter/filter.h"
#include "host/kmod_device.h"

#include "tprof/object.h"

/* @file: in the build directory */
static struct tprof_filter *filter_for(const char *file, const struct tprof_object *session)
{
	const char *build = getenv("TPROF_BUILD");
	struct tprof_error error = { 0 };
	struct tprof_filter *filter;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.bpf.o", build ? build : "build", file);
	filter = tprof_filter__open(path, &error);
	if (!filter)
		fail_msg("%s: %s", path, error.text);
	assert_int_equal(filter_use_kmod(filter, session, &error), 0);
	return filter;
}

static uint32_t flags_of(const char *name)
{
	const struct tprof_object samples = { 0 };
	struct tprof_filter *filter;
	char file[64];
	uint32_t flags;

	snprintf(file, sizeof(file), "filters/%s", name);
	filter = filter_for(file, &samples);
	flags = filter_kmod_flags(filter);
	tprof_filter__free(filter);
	return flags;
}

static void those_that_it_walks(void **state)
{
	(void)state;
	assert_int_equal(flags_of("top"), 0);
	assert_int_equal(flags_of("pass"), 0);
	assert_int_equal(flags_of("ustacks"), TPROF_FILTER_USER_STACK);
	assert_int_equal(flags_of("kstacks"), TPROF_FILTER_KERNEL_STACK);
	assert_int_equal(flags_of("stacks"), TPROF_FILTER_KERNEL_STACK | TPROF_FILTER_USER_STACK);
	assert_int_equal(flags_of("owners"), TPROF_FILTER_OWNER);
}

static bool is_loaded(const struct tprof_filter *filter, const char *name)
{
	const struct bpf_program *program = bpf_object__find_program_by_name(filter->object, name);

	assert_non_null(program);
	return bpf_program__autoload(program);
}

/* The session has waits or wake-ups; then the map, and whether it has the programs for these. */
static void has_programs(const char *file, bool waits, bool wakes, const char *map, bool offcpu, bool wakeup)
{
	const struct tprof_object session = { .wait_event = waits, .wake_event = wakes };
	struct tprof_filter *filter = filter_for(file, &session);
	char name[64];

	for (size_t i = 0; i < 3; i++) {
		static const char *const suffixes[] = {
			TPROF_OPS_SUFFIX, TPROF_OFFCPU_OPS_SUFFIX, TPROF_WAKEUP_OPS_SUFFIX,
		};
		struct bpf_map *one;

		snprintf(name, sizeof(name), "%s%s", filter->entries[0].name, suffixes[i]);
		one = bpf_object__find_map_by_name(filter->object, name);
		if (one)
			assert_int_equal(bpf_map__autocreate(one), strcmp(suffixes[i], map) == 0);
	}
	snprintf(name, sizeof(name), "%s%s", filter->entries[0].name, map);
	assert_string_equal(bpf_map__name(filter->entries[0].ops), name);
	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s%s", filter->entries[0].name,
			 i ? TPROF_WAKEUP_KMOD_SUFFIX : TPROF_OFFCPU_KMOD_SUFFIX);
		if (bpf_object__find_program_by_name(filter->object, name))
			assert_int_equal(is_loaded(filter, name), i ? wakeup : offcpu);
		else
			assert_false(i ? wakeup : offcpu);
	}
	tprof_filter__free(filter);
}

/* libbpf refuses an object that creates a map whose program is not loaded. */
static void for_each_kind_of_session(void **state)
{
	const char *both = "guest/filters/wake_members";

	(void)state;
	has_programs("filters/top", true, true, TPROF_OPS_SUFFIX, false, false);
	has_programs("filters/offcpu", false, false, TPROF_OPS_SUFFIX, false, false);
	has_programs("filters/offcpu", true, false, TPROF_OFFCPU_OPS_SUFFIX, true, false);
	has_programs("filters/offcpu", false, true, TPROF_OPS_SUFFIX, false, false);
	has_programs("filters/wakers", true, false, TPROF_OPS_SUFFIX, false, false);
	has_programs("filters/wakers", true, true, TPROF_WAKEUP_OPS_SUFFIX, false, true);
	has_programs(both, false, false, TPROF_OPS_SUFFIX, false, false);
	has_programs(both, true, false, TPROF_WAKEUP_OPS_SUFFIX, true, true);
	has_programs(both, false, true, TPROF_WAKEUP_OPS_SUFFIX, true, true);
	has_programs(both, true, true, TPROF_WAKEUP_OPS_SUFFIX, true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_it_walks),
		cmocka_unit_test(for_each_kind_of_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
