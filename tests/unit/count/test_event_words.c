// SPDX-License-Identifier: GPL-2.0-only
/* Lists of events: words, groups, PMU terms with commas, and what is malformed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "count/event_words.h"

/* The words of a list, each followed by a semicolon; a word of the same group begins with a plus sign. */
static int split(const char *list, char text[256], struct tprof_error *error)
{
	struct event_words words = { 0 };
	struct event_word word;
	int more;

	text[0] = '\0';
	while ((more = event_words_next(&words, list, &word, error)) > 0)
		snprintf(text + strlen(text), 256 - strlen(text), "%s%.*s;", word.continues ? "+" : "",
			 (int)word.length, word.text);
	return more;
}

static void splits(const char *list, const char *wanted)
{
	struct tprof_error error = { 0 };
	char text[256];

	assert_int_equal(split(list, text, &error), 0);
	assert_string_equal(text, wanted);
}

static void refuses(const char *list, const char *why)
{
	struct tprof_error error = { 0 };
	char text[256];

	assert_int_equal(split(list, text, &error), -EINVAL);
	if (!strstr(error.text, why))
		fail_msg("%s: %s, wanted: %s", list, error.text, why);
	assert_true(error.hint[0]);
}

static void words(void **state)
{
	(void)state;
	splits("cycles", "cycles;");
	splits("a,b,c", "a;b;c;");
	splits("cpu/event=0x3c,umask=1/,b", "cpu/event=0x3c,umask=1/;b;");
	splits("sched:sched_switch,r1a8", "sched:sched_switch;r1a8;");
}

static void groups(void **state)
{
	(void)state;
	splits("{a,b}", "a;+b;");
	splits("{a}", "a;");
	splits("x,{a,b,c},{d,e},y", "x;a;+b;+c;d;+e;y;");
	splits("{cpu/a=1,b=2/,cpu/c/}", "cpu/a=1,b=2/;+cpu/c/;");
}

static void malformed(void **state)
{
	(void)state;
	refuses("", "the name of an event is missing");
	refuses("a,", "the name of an event is missing");
	refuses(",a", "the name of an event is missing");
	refuses("a,,b", "the name of an event is missing");
	refuses("{}", "the name of an event is missing");
	refuses("{a,}", "the name of an event is missing");
	refuses("{a,b", "a brace is not closed");
	refuses("a}", "a brace is closed that was not opened");
	refuses("{a,{b}}", "a group cannot be in a group");
	refuses("{a}{b}", "a comma is missing");
	refuses("{a}b", "a comma is missing");
	refuses("a{b}", "a comma is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(groups),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
