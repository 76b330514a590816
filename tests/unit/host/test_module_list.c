// SPDX-License-Identifier: GPL-2.0-only
/* The lists that the module keeps in debugfs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/module_list.h"

/* Writes all members of a listing in one line. */
static int note(void *ctx, const struct tprof_listing *line)
{
	char *seen = ctx;

	for (size_t i = 0; i < line->nr; i++)
		sprintf(seen + strlen(seen), "%s=%s ", line->names[i], line->values[i]);
	strcat(seen, "; ");
	return 0;
}

static void expect(const char *text, const char *wanted)
{
	char copy[4096], seen[8192] = "";

	snprintf(copy, sizeof(copy), "%s", text);
	assert_int_equal(module_list_parse(copy, note, seen), 0);
	assert_string_equal(seen, wanted);
}

static void lines_and_columns(void **state)
{
	(void)state;
	expect("id\tcomm\n1\ta b\n2\tc\n", "id=1 comm=a b ; id=2 comm=c ; ");
	expect("id\tcomm\n1\ta", "id=1 comm=a ; ");
	expect("id\tcomm\n1\ta\x1b[2J\xc2\x9b\n", "id=1 comm=a?[2J?? ; ");
	expect("id\tcomm\n", "");
	expect("", "");
}

static void lines_that_do_not_fit(void **state)
{
	(void)state;
	expect("id\tcomm\n1\n2\tb\tc\n\t\n", "id=1 comm= ; id=2 comm=b ; id= comm= ; ");
	expect("id\n\n3\n", "id= ; id=3 ; ");
}

static void more_columns_than_fit(void **state)
{
	char text[1024] = "c0", wanted[8192] = "";

	(void)state;
	for (int i = 1; i < 40; i++)
		sprintf(text + strlen(text), "\tc%d", i);
	strcat(text, "\n0");
	for (int i = 1; i < 40; i++)
		sprintf(text + strlen(text), "\t%d", i);
	for (int i = 0; i < MODULE_LIST_COLUMNS_MAX; i++)
		sprintf(wanted + strlen(wanted), "c%d=%d ", i, i);
	strcat(wanted, "; ");
	expect(text, wanted);
}

static int stop(void *ctx, const struct tprof_listing *line)
{
	(void)line;
	return ++*(int *)ctx == 2 ? 77 : 0;
}

static void it_stops(void **state)
{
	char text[] = "id\n1\n2\n3\n";
	int nr = 0;

	(void)state;
	assert_int_equal(module_list_parse(text, stop, &nr), 77);
	assert_int_equal(nr, 2);
}

static void values_by_name(void **state)
{
	const char *names[] = { "id", "comm" }, *values[] = { "1", "sh" };
	const struct tprof_listing line = { .nr = 2, .names = names, .values = values };

	(void)state;
	assert_string_equal(tprof_listing__value(&line, "comm"), "sh");
	assert_string_equal(tprof_listing__value(&line, "state"), "");
}

static void no_such_list(void **state)
{
	struct tprof_error error = { 0 };

	(void)state;
	assert_int_equal(tprof_module__each("../../../etc/passwd", stop, NULL, &error), -EINVAL);
	assert_true(error.text[0]);
	assert_int_equal(tprof_module__each("", stop, NULL, NULL), -EINVAL);
	assert_int_equal(tprof_module__each("Sources", stop, NULL, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_columns),
		cmocka_unit_test(lines_that_do_not_fit),
		cmocka_unit_test(more_columns_than_fit),
		cmocka_unit_test(it_stops),
		cmocka_unit_test(values_by_name),
		cmocka_unit_test(no_such_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
