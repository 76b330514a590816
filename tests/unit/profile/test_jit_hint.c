// SPDX-License-Identifier: GPL-2.0-only
/* The hint of a profile with much JIT code without names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"

/* A profile with @jit percent in JIT code without names, 10 percent in named JIT code, the rest in code of @object. */
static struct tprof_profile *jit_profile(uint64_t jit, const char *object, pid_t pid, const char *warnings)
{
	struct tprof_info info = { .sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns",
				   .warnings = warnings };
	const struct tprof_entry entries[] = {
		{ .symbol = "[jit]", .object = "[jit]", .comm = "main", .cgroup = "", .pid = 7, .cpu = -1,
		  .mode = TPROF_MODE_USER, .samples = 1, .weight = jit },
		{ .symbol = "f", .object = object, .comm = "main", .cgroup = "", .pid = pid, .cpu = -1,
		  .mode = TPROF_MODE_USER, .samples = 1, .weight = 90 - jit },
		{ .symbol = "named", .object = "[jit]", .comm = "main", .cgroup = "", .pid = 7, .cpu = -1,
		  .mode = TPROF_MODE_USER, .samples = 1, .weight = 10 },
	};
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		assert_int_equal(profile_add(profile, &entries[i]), 0);
	profile_finish(profile);
	return profile;
}

static void expect_hint(uint64_t jit, const char *object, pid_t pid, const char *warnings, const char *wanted)
{
	struct tprof_profile *profile = jit_profile(jit, object, pid, warnings), *grouped;
	const char *got = tprof_profile__info(profile)->warnings;

	if (!wanted) {
		if (warnings)
			assert_string_equal(got, warnings);
		else
			assert_null(got);
		tprof_profile__free(profile);
		return;
	}
	assert_non_null(got);
	if (!strstr(got, wanted))
		fail_msg("%s", got);
	/* The hint appears once, also after several groupings. */
	grouped = tprof_profile__group(profile, TPROF_GROUP_FUNCTION);
	assert_non_null(grouped);
	assert_string_equal(tprof_profile__info(grouped)->warnings, got);
	tprof_profile__free(grouped);
	tprof_profile__free(profile);
}

static void hints_at_names_of_compiled_code(void **state)
{
	(void)state;
	expect_hint(5, "libjvm.so", 7, NULL, NULL);
	expect_hint(6, "libjvm.so", 7, NULL,
		    "6 % of the weight is in code without a name that Java compiled ([jit])");
	expect_hint(60, "libjvm.so", 7, NULL, "-XX:+DumpPerfMapAtExit");
	expect_hint(60, "node", 7, NULL, "--perf-basic-prof --interpreted-frames-native-stack");
	expect_hint(60, "libnode.so.108", 7, "another", "another; 60 % of the weight");
	/* The object belongs to another process. */
	expect_hint(60, "libjvm.so", 8, NULL,
		    "60 % of the weight is in code without a name that was compiled at run time");
	/* A warning already has the reason. */
	expect_hint(60, "app", 7, "perf-7.map: not read: too large", NULL);
}

/* The hint of a total has the share in the total, and the runtime that one of its parts has recognized. */
static void hint_follows_the_total(void **state)
{
	struct tprof_profile *total = jit_profile(10, "node", 7, "before");
	struct tprof_profile *more = jit_profile(80, "other", 7, "before");
	const char *got;

	(void)state;
	assert_non_null(strstr(tprof_profile__info(total)->warnings, "10 % of the weight"));
	assert_int_equal(tprof_profile__merge(total, more), 0);
	got = tprof_profile__info(total)->warnings;
	assert_string_equal(got, "before; 45 % of the weight is in code without a name that Node.js compiled ([jit]): "
			    "start the program as node --perf-basic-prof --interpreted-frames-native-stack to get "
			    "names (see JIT in tprof(1))");
	tprof_profile__free(more);
	/* The added profile has a hint of its own. */
	more = jit_profile(90, "node", 7, "after");
	assert_non_null(strstr(tprof_profile__info(more)->warnings, "90 % of the weight"));
	assert_int_equal(tprof_profile__merge(total, more), 0);
	got = tprof_profile__info(total)->warnings;
	assert_string_equal(got, "before; after; 60 % of the weight is in code without a name that Node.js compiled "
			    "([jit]): start the program as node --perf-basic-prof --interpreted-frames-native-stack "
			    "to get names (see JIT in tprof(1))");
	tprof_profile__free(more);
	more = jit_profile(0, "other", 7, NULL);
	for (int i = 0; i < 60; i++)
		assert_int_equal(tprof_profile__merge(total, more), 0);
	assert_string_equal(tprof_profile__info(total)->warnings, "before; after");
	tprof_profile__free(more);
	tprof_profile__free(total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hints_at_names_of_compiled_code),
		cmocka_unit_test(hint_follows_the_total),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
