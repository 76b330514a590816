// SPDX-License-Identifier: GPL-2.0-only
/* Warnings of profiles that are merged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"

static struct tprof_profile *one_function(void)
{
	const struct tprof_info info = { .sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns" };
	const struct tprof_entry entry = { .symbol = "hot", .object = "app", .comm = "app", .cpu = -1, .samples = 1,
					   .weight = 10 };
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	assert_int_equal(profile_add(profile, &entry), 0);
	profile_finish(profile);
	return profile;
}

/* A total says what any of its parts says, once. */
static void merges_warnings(void **state)
{
	struct tprof_profile *into = one_function(), *from = one_function();
	char text[32];

	(void)state;
	assert_int_equal(tprof_profile__merge(into, from), 0);
	assert_null(tprof_profile__info(into)->warnings);
	assert_int_equal(profile_warn(from, "samples are missing"), 0);
	assert_int_equal(tprof_profile__merge(into, from), 0);
	assert_string_equal(tprof_profile__info(into)->warnings, "samples are missing");
	assert_int_equal(profile_warn(from, "samples are"), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tprof_profile__merge(into, from), 0);
		assert_string_equal(tprof_profile__info(into)->warnings, "samples are missing; samples are");
	}
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "part %d is special", i);
		from->info.warnings = profile_keep(from, text);
		assert_int_equal(tprof_profile__merge(into, from), 0);
	}
	assert_non_null(strstr(tprof_profile__info(into)->warnings, "; part 99 is special; "));
	assert_in_range(strlen(tprof_profile__info(into)->warnings), 4000, 4096);
	tprof_profile__free(into);
	tprof_profile__free(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_warnings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
