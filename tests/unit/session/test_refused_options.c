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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sessions),
		cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
