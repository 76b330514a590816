// SPDX-License-Identifier: GPL-2.0-only
/* Messages of the library about members of an option struct name the options of the command; others are unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../cli/base/members.c"

static const struct member members[] = { { "rate_hz", "-F" }, { "period", "--count" }, { 0 } };

static const char *renamed(const char *text)
{
	static struct tprof_error error;

	snprintf(error.text, sizeof(error.text), "%s", text);
	snprintf(error.hint, sizeof(error.hint), "a hint");
	members_to_options(members, &error);
	assert_string_equal(error.hint, "a hint");
	return error.text;
}

static void members_at_the_start(void **state)
{
	(void)state;
	assert_string_equal(renamed("rate_hz 7: too large"), "-F 7: too large");
	assert_string_equal(renamed("period 7: too large for period"), "--count 7: too large for period");
	assert_string_equal(renamed("rate_hz and period exclude each other"), "-F and --count exclude each other");
	assert_string_equal(renamed("period and rate_hz"), "--count and -F");
	assert_string_equal(renamed("rate_hz and nothing else"), "-F and nothing else");
	assert_string_equal(renamed("rate_hz"), "-F");
}

static void other_messages(void **state)
{
	static const char *const others[] = {
		"", " ", "event rate_hz: no such event", "rate_hzz 7", "rate 7", "rate_hz: 7", "and period",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_string_equal(renamed(others[i]), others[i]);
}

static void long_messages_are_cut(void **state)
{
	const struct member wordy[] = { { "p", "--period" }, { 0 } };
	struct tprof_error error;

	(void)state;
	memset(error.text, 'x', sizeof(error.text));
	memcpy(error.text, "p ", 2);
	error.text[sizeof(error.text) - 1] = '\0';
	members_to_options(wordy, &error);
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);
	assert_memory_equal(error.text, "--period xxx", 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_at_the_start),
		cmocka_unit_test(other_messages),
		cmocka_unit_test(long_messages_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
