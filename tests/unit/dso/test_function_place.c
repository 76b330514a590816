// SPDX-License-Identifier: GPL-2.0-only
/* Functions of an object by name: where they are in the file. */
#include "elf_fixture.h"

#include <errno.h>

#include "dso/function_place.h"

/* Functions whose code is their own name. */
static void build(void)
{
	static const char *const names[] = { "one", "_ZN3foo3barEPKc", "two_words", "old_copy", "new_copy" };
	FILE *file = fopen("lib.s", "w");

	assert_non_null(file);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(file, ".globl %s\n.type %s, %%function\n%s: .ascii \"<%s>\"\n.size %s, %zu\n", names[i],
			names[i], names[i], names[i], names[i], strlen(names[i]) + 2);
	fprintf(file, ".symver old_copy, copy@V_1\n.symver new_copy, copy@@V_2\n");
	fclose(file);
	write_text("lib.map", "V_1 { global: copy; };\nV_2 { global: copy; one; _ZN3*; two_words; } V_1;\n");
	shell("gcc -nostdlib -shared -Wl,--version-script=lib.map -o lib.so lib.s");
}

/* The code of a function, or its error. */
static const char *code_of(const char *path, const char *name, struct tprof_error *error)
{
	static char code[64];
	struct function_place place;
	int err = function_place_find(path, name, &place, error), fd;

	if (err)
		return strerror(-err);
	assert_true(place.size < sizeof(code));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, code, place.size, (off_t)place.offset), place.size);
	close(fd);
	code[place.size] = '\0';
	return code;
}

static void found(void **state)
{
	struct tprof_error error = { 0 };

	(void)state;
	build();
	assert_string_equal(code_of("lib.so", "one", &error), "<one>");
	assert_string_equal(code_of("lib.so", "two_words", &error), "<two_words>");
	/* As it is displayed, and as it is in the file. */
	assert_string_equal(code_of("lib.so", "foo::bar(char const*)", &error), "<_ZN3foo3barEPKc>");
	assert_string_equal(code_of("lib.so", "_ZN3foo3barEPKc", &error), "<_ZN3foo3barEPKc>");
	/* The version that programs are linked with, unless another is asked for. */
	assert_string_equal(code_of("lib.so", "copy", &error), "<new_copy>");
	assert_string_equal(code_of("lib.so", "copy@@V_2", &error), "<new_copy>");
	assert_string_equal(code_of("lib.so", "copy@V_1", &error), "<old_copy>");
	assert_string_equal(error.text, "");
}

static void not_found(void **state)
{
	struct tprof_error error = { 0 };

	(void)state;
	build();
	assert_string_equal(code_of("lib.so", "on", &error), strerror(ENOENT));
	assert_string_equal(error.text, "lib.so: there is no function on");
	assert_string_equal(error.hint, "tprof list functions lib.so '*on*'");
	assert_string_equal(code_of("lib.so", "", &error), strerror(ENOENT));
	assert_string_equal(code_of("nowhere.so", "one", &error), strerror(ENOENT));
	assert_string_equal(error.text, "nowhere.so: cannot be read: No such file or directory");
	assert_string_equal(code_of("lib.map", "one", &error), strerror(ENOEXEC));
}

static void several(void **state)
{
	struct tprof_error error = { 0 };

	(void)state;
	write_text("a.c", "__attribute__((used)) static int twice(int a) { return a * 3; }\n"
			  "int a(int b) { return b; }\n");
	write_text("b.c", "__attribute__((used)) static int twice(int a) { return a * 5; }\n"
			  "int b(int c) { return c; }\n"
			  "int elsewhere(int); int calls(int a) { return elsewhere(a); }\n");
	shell("gcc -O1 -shared -fPIC -o both.so a.c b.c");
	assert_string_equal(code_of("both.so", "twice", &error), strerror(EINVAL));
	assert_string_equal(error.text, "both.so: 2 functions are called twice");
	assert_non_null(strstr(error.hint, "tprof list functions both.so"));
	/* The entry of the procedure linkage table is not the function. */
	assert_string_equal(code_of("both.so", "elsewhere", &error), strerror(ENOENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(found, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(not_found, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(several, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
