// SPDX-License-Identifier: GPL-2.0-only
/* The functions of an object by all of their names. */
#include "elf_fixture.h"

#include <errno.h>
#include <time.h>

#include "tprof.h"

#define MAX_LINES 64

static char lines[MAX_LINES][128];
static size_t nr_lines;

/* Writes a line for each name, with "+" before names that are shown. */
static int write_down(void *ctx, const struct tprof_function *function)
{
	const char *only = ctx;

	if (only && !strstr(function->name, only))
		return 0;
	assert_true(nr_lines < MAX_LINES && function->size && function->address);
	/* The shown name is the first name of its function. */
	assert_true(nr_lines || only || function->is_shown);
	snprintf(lines[nr_lines++], sizeof(lines[0]), "%s%s %s\n", function->is_shown ? "+" : "", function->name,
		 function->symbol);
	return 0;
}

static int compare_lines(const void *left, const void *right)
{
	return strcmp(left, right);
}

/* Compares the lines in alphabetical order, because linkers write the symbols of a function in any order. */
static void expect(const char *path, const char *pattern, char *only, const char *expected)
{
	struct tprof_error error = { 0 };
	char text[MAX_LINES * sizeof(lines[0])] = "";

	nr_lines = 0;
	assert_int_equal(tprof_function__each(path, pattern, write_down, only, &error), 0);
	assert_string_equal(error.text, "");
	qsort(lines, nr_lines, sizeof(lines[0]), compare_lines);
	for (size_t i = 0; i < nr_lines; i++)
		strcat(text, lines[i]);
	assert_string_equal(text, expected);
}

static void build(void)
{
	write_text("lib.c",
		   "int copy(int a) { return a * 3; }\n"
		   "int __copy(int) __attribute__((alias(\"copy\")));\n"
		   "int copy_fast_variant(int) __attribute__((alias(\"copy\"), visibility(\"hidden\")));\n"
		   "int old_copy(int a) { return a * 5; }\n"
		   "int _ZN3foo3barEPKc(const char *a) { return *a; }\n"
		   "int _ZN3foo3bazEPKc(const char *) __attribute__((alias(\"_ZN3foo3barEPKc\")));\n"
		   "int alone(int a) { return a * 7; }\n"
		   "int strange(int a) { return a * 9; }\n"
		   "__asm__(\".symver old_copy, copy@V_1\");\n"
		   "__asm__(\".symver copy, copy@@V_2\");\n");
	write_text("lib.map", "V_1 { global: copy; };\n"
			      "V_2 { global: copy; __copy; _ZN3*; alone; strange; } V_1;\n");
	shell("gcc -O1 -shared -fPIC -Wl,--version-script=lib.map -o lib.so lib.c");
	shell("objcopy --redefine-sym strange=\"$(printf 'str\\033[2Jange')\" lib.so strange.so");
}

static void test_names(void **state)
{
	(void)state;
	build();
	expect("lib.so", "alone", NULL, "+alone alone\n");
	/* Two functions export one name with different versions: a pattern for any name finds their internal names. */
	expect("lib.so", "copy_fast*", NULL,
	       "+copy copy@@V_2\n"
	       "__copy __copy\n"
	       "copy copy\n"
	       "copy_fast_variant copy_fast_variant\n");
	expect("lib.so", "foo::ba[z]*", NULL,
	       "+foo::bar(char const*) _ZN3foo3barEPKc\n"
	       "foo::baz(char const*) _ZN3foo3bazEPKc\n");
	expect("lib.so", "no_such_name", NULL, "");
	expect("lib.so", NULL, "old_copy", "+old_copy old_copy\n");
}

/* A name with an escape sequence. */
static void test_control_characters(void **state)
{
	(void)state;
	build();
	expect("strange.so", NULL, "ange", "+str?[2Jange str?[2Jange\n");
	/* A pattern is compared with the name that is shown. */
	expect("strange.so", "str\\?\\[2Jange", NULL, "+str?[2Jange str?[2Jange\n");
}

static int stop(void *ctx, const struct tprof_function *function)
{
	(void)function;
	return ++*(int *)ctx == 3 ? -EINTR : 0;
}

static void test_stops(void **state)
{
	int calls = 0;

	(void)state;
	build();
	assert_int_equal(tprof_function__each("lib.so", NULL, stop, &calls, NULL), -EINTR);
	assert_int_equal(calls, 3);
}

static void test_errors(void **state)
{
	struct tprof_error error = { 0 };

	(void)state;
	assert_int_equal(tprof_function__each("nowhere", NULL, stop, NULL, &error), -ENOENT);
	assert_string_equal(error.text, "nowhere: cannot be read: No such file or directory");
	assert_non_null(strstr(error.hint, "ldd"));
	write_text("words", "These are words, and many enough for a header of an object that there is none of.\n");
	assert_int_equal(tprof_function__each("words", NULL, stop, NULL, &error), -ENOEXEC);
	assert_string_equal(error.text, "words: not an ELF object");
	assert_int_equal(tprof_function__each("/", NULL, stop, NULL, NULL), -ENOEXEC);
	/* A pipe without a writer does not block. */
	shell("mkfifo pipe");
	assert_int_equal(tprof_function__each("pipe", NULL, stop, NULL, NULL), -ENOEXEC);
}

/* One line of assembly for the function @i, which is a function of its own or an alias of the first one. */
static void write_function(FILE *file, int i, bool is_alias)
{
	if (is_alias && i)
		fprintf(file, ".globl f%d\n.type f%d, %%function\n.set f%d, f0\n", i, i, i);
	else
		fprintf(file, ".globl f%d\n.type f%d, %%function\nf%d: .byte 0\n.size f%d, 1\n", i, i, i, i);
}

static double seconds_without_a_match(int nr_names, bool are_aliases)
{
	FILE *file = fopen("many.s", "w");
	struct timespec from, to;

	assert_non_null(file);
	for (int i = 0; i < nr_names; i++)
		write_function(file, i, are_aliases);
	fclose(file);
	shell("gcc -nostdlib -shared -o many.so many.s");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	expect("many.so", "no_such_name", NULL, "");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

/* The time is linear: eight times as many functions, or names of one function, take eight times as long. */
static void test_many(void **state)
{
	(void)state;
	assert_true(seconds_without_a_match(160000, false) < 20 * seconds_without_a_match(20000, false));
	assert_true(seconds_without_a_match(40000, true) < 20 * seconds_without_a_match(5000, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_control_characters, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_stops, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_many, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_errors, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
