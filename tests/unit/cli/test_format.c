// SPDX-License-Identifier: GPL-2.0-only
/* The format of a file: the given one, or else by the suffix of its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../cli/base/cell.c"
#include "../../../cli/base/nearest.c"
#include "../../../cli/base/out.c"
#include "../../../cli/base/progress.c"
#include "../../../cli/file/format.c"

static const char *chosen(const char *name, const char *path)
{
	struct tprof_format format = { 0 };
	int code = format_choose(name, path, "pprof", &format);

	assert_true(code == EXIT_OK || code == EXIT_USAGE);
	assert_true((code == EXIT_OK) == (format.name != NULL));
	return code ? "none" : format.name;
}

static void test_by_name(void **state)
{
	(void)state;
	assert_string_equal(chosen(NULL, "a.folded"), "folded");
	assert_string_equal(chosen(NULL, "/some.json/a.folded"), "folded");
	assert_string_equal(chosen(NULL, "b.json"), "json");
	assert_string_equal(chosen(NULL, "b.folded.txt"), "text");
}

static void test_as_told(void **state)
{
	(void)state;
	assert_string_equal(chosen("folded", "b.json"), "folded");
	assert_string_equal(chosen("json", "-"), "json");
	assert_string_equal(chosen("Json", "b.json"), "none");
	assert_string_equal(chosen("", "b.json"), "none");
}

/* Names without a known suffix all have the same default format. */
static void test_not_said(void **state)
{
	static const char *const paths[] = { "-", "folded", ".folded", "a.Folded", "a.folded.old", "json/a", "" };
	const char *usual = chosen(NULL, "tprof");

	(void)state;
	assert_string_not_equal(usual, "folded");
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_string_equal(chosen(NULL, paths[i]), usual);
}

static void test_has_to_be_said(void **state)
{
	struct tprof_format format = { 0 };

	(void)state;
	assert_int_equal(format_choose(NULL, "a.old", NULL, &format), EXIT_USAGE);
	assert_int_equal(format_choose(NULL, "a.json", NULL, &format), EXIT_OK);
	assert_string_equal(format.name, "json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_as_told),
		cmocka_unit_test(test_not_said),
		cmocka_unit_test(test_has_to_be_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
