// SPDX-License-Identifier: GPL-2.0-only
/* Go programs without symbols are named by the table of their runtime, in each of its forms. */
#include "elf_symbols_fixture.h"

static char source[PATH_MAX];

#define TEXT_BYTES 48

/* What each group of eight bytes is called. */
static void check_names(const char *flags, const char *const names[TEXT_BYTES / 8], bool headers)
{
	struct elf_symbols *symbols;
	uint64_t vaddr, start;

	shell("gcc -nostdlib -Wl,--build-id=none %s -o a %s && strip -o b a", flags, source);
	start = shell_number("nm a | awk '$3==\"text\"{print $1}'");
	vaddr = shell_number("readelf -lW a | awk '$1==\"LOAD\" && / E /{print $3}'");
	start += shell_number("readelf -lW a | awk '$1==\"LOAD\" && / E /{print $2}'") - vaddr;
	if (!headers)
		remove_headers("b");
	symbols = open_symbols("b");
	assert_non_null(symbols);
	for (uint64_t at = 0; at < TEXT_BYTES; at++) {
		const char *name = name_at(symbols, start + at);

		if (strcmp(name, names[at / 8]))
			fail_msg("%s: +%lu is called \"%s\"", flags, (unsigned long)at, name);
	}
	elf_symbols_close(symbols);
}

static const char *const all[] = { "_rt0_amd64_linux", "main.one", "main.one", "", "main.(*thing).two", "" };
static const char *const none[] = { "", "", "", "", "", "" };

static void test_forms(void **state)
{
	static const int forms[] = { 2, 16, 18, 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char flags[64];

		snprintf(flags, sizeof(flags), "-DFORM=%d -static -no-pie", forms[i]);
		check_names(flags, all, true);
		check_names(flags, all, false);
	}
}

/* The linker leaves to the loader where the code is. */
static void test_position_independent(void **state)
{
	(void)state;
	check_names("-DFORM=18 -pie", all, true);
	check_names("-DFORM=20 -pie", all, false);
	check_names("-DFORM=20 -static-pie", all, true);
}

/* Nothing says where the code is: the first function that runs has to be the one of that name. */
static void test_text_not_told(void **state)
{
	(void)state;
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=0 -static -no-pie", all, true);
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=0 -static -no-pie", all, false);
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=0 -static -no-pie -Wl,-e,one", none, true);
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=16 -static -no-pie", none, true);
}

/* A record that says that it is another function's names nothing. */
static void test_wrong_record(void **state)
{
	static const char *const names[] = { "_rt0_amd64_linux", "main.one", "main.one", "", "", "" };

	(void)state;
	check_names("-DFORM=20 -DWRONG=1 -static -no-pie", names, true);
	check_names("-DFORM=2 -DWRONG=8 -static -no-pie", names, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forms, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_position_independent, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_text_not_told, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_wrong_record, enter_directory, leave_directory),
	};

	/* Tests run in directories of their own. */
	if (!realpath("tests/unit/go_table.S", source))
		return EXIT_FAILURE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
