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
	refuses((struct tprof_session_opts){ .kernel_only = true, .user_only = true },
		"kernel_only and user_only exclude each other");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions),
		cmocka_unit_test(parts),
		cmocka_unit_test(depth_of_stacks),
		cmocka_unit_test(size_of_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
