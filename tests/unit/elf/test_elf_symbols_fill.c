// SPDX-License-Identifier: GPL-2.0-only
/* Functions without symbols from the unwind table; programs without section headers. */
#include "elf_symbols_fixture.h"

static void check_whole(const struct elf_symbols *symbols, const struct truth *function, const char *name)
{
	for (uint64_t at = 0; at < function->size; at++) {
		assert_int_equal(start_at(symbols, function->offset + at), function->offset);
		assert_string_equal(name_at(symbols, function->offset + at), name);
	}
}

/* A function that is not exported is one unnamed function, from its first byte to its last. */
static void test_stripped(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;
	size_t nr;

	(void)state;
	build_library("lib.so", "");
	nr = read_truth("lib.so", truth);
	build_library("stripped.so", "-s");
	symbols = open_symbols("stripped.so");
	assert_non_null(symbols);
	check_whole(symbols, find_truth(truth, nr, "hidden"), "");
	check_whole(symbols, find_truth(truth, nr, "third"), "third");
	elf_symbols_close(symbols);
}

/* The cold part of a function counts as another function, because the file does not connect them. */
static void test_cold_part(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;
	size_t nr;

	(void)state;
	write_text("a.c", "#include <stdio.h>\n#include <stdlib.h>\n"
		   "static __attribute__((cold, noinline)) void fail(int i) { printf(\"%d\", i); abort(); }\n"
		   "static __attribute__((noinline)) int warm(int i)\n"
		   "{ if (i > 100) { puts(\"\"); fail(i); } return i * 3; }\n"
		   "int main(int c, char **v) { (void)v; return warm(c) + warm(c * c); }\n");
	shell("gcc -O2 -freorder-blocks-and-partition -o a a.c && strip -o b a");
	nr = read_truth("a", truth);
	symbols = open_symbols("b");
	assert_non_null(symbols);
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(truth[i].name, "main") || strstr(truth[i].name, "warm") || strstr(truth[i].name, "fail"))
			check_whole(symbols, &truth[i], "");
	}
	elf_symbols_close(symbols);
}

/* Pieces of four bytes: between symbols of one unwind table entry, after them, and in no entry. */
static const char assembly[] =
	".text\n.globl sized, inner, bare\n.type sized,@function\n.type inner,@function\n.type bare,@function\n"
	"first: .cfi_startproc\n.space 4,0x90\n"
	"sized: .space 4,0x90\n.size sized,.-sized\n"
	".space 4,0x90\n"
	"inner: .space 4,0x90\n.size inner,.-inner\n"
	".space 4,0x90\n.cfi_endproc\n"
	".space 4,0x90\n"
	"bare: .cfi_startproc\n.space 4,0x90\n.cfi_endproc\n"
	".section .note.GNU-stack,\"\",@progbits\n";

static void test_assembly(void **state)
{
	static const int starts[] = { 0, 1, 2, 3, 4, -1, 6 };
	static const char *const names[] = { "", "sized", "", "inner", "", "", "" };
	struct elf_symbols *symbols;
	uint64_t first;

	(void)state;
	write_text("a.s", assembly);
	shell("gcc -shared -nostdlib -o a.so a.s && strip -o b.so a.so");
	first = shell_number("nm a.so | awk '$3==\"first\"{print $1}'");
	symbols = open_symbols("b.so");
	assert_non_null(symbols);
	for (size_t at = 0; at < 7 * 4; at++) {
		int start = starts[at / 4];

		assert_string_equal(name_at(symbols, first + at), names[at / 4]);
		assert_int_equal(start_at(symbols, first + at), start < 0 ? UINT64_MAX : first + 4 * (uint64_t)start);
	}
	elf_symbols_close(symbols);
}

static void test_no_headers(void **state)
{
	static const char *const flags[] = {
		"-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv", "-Wl,--hash-style=both -Wl,-z,noseparate-code",
	};
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;
	size_t nr;

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		build_library("lib.so", flags[i]);
		nr = read_truth("lib.so", truth);
		shell("strip -o bare.so lib.so");
		remove_headers("bare.so");
		symbols = open_symbols("bare.so");
		assert_non_null(symbols);
		check_whole(symbols, find_truth(truth, nr, "hidden"), "");
		check_whole(symbols, find_truth(truth, nr, "first"), "first");
		check_whole(symbols, find_truth(truth, nr, "second"), "second");
		check_whole(symbols, find_truth(truth, nr, "third"), "third");
		elf_symbols_close(symbols);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stripped, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_cold_part, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_assembly, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_no_headers, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
