// SPDX-License-Identifier: GPL-2.0-only
/* The choice among several names of a function, from all symbol tables. */
#include "elf_symbols_fixture.h"

/* The same rule applies to dynamic symbols, to the symbols inside (.gnu_debugdata), and to both together. */
static void test_aliases_beside_inside(void **state)
{
	static const char names[] = "abcdefghijklmnopqrst";
	struct elf_symbols *symbols;
	uint64_t vaddr;
	FILE *source;

	(void)state;
	source = fopen("a.s", "w");
	assert_non_null(source);
	fprintf(source, ".section .note.GNU-stack,\"\",%%progbits\n.text\n");
	/* 20 functions of four bytes: _x, long_x, x_2 and x_1; linkers sort them, but not by name */
	for (const char *x = names; *x; x++)
		fprintf(source, ".globl _%c, long_%c, %c_2, %c_1\n.type _%c,%%function\n.type long_%c,%%function\n"
			".type %c_2,%%function\n.type %c_1,%%function\n_%c: long_%c: %c_2: %c_1: .space 4,0x90\n"
			".size _%c,4\n.size long_%c,4\n.size %c_2,4\n.size %c_1,4\n",
			*x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x);
	assert_int_equal(fclose(source), 0);
	shell("gcc -shared -nostdlib -o lib.so a.s");
	vaddr = shell_number("nm lib.so | awk '$3==\"a_1\"{print $1}'");
	/* The worst name of one function is also inside. */
	shell("objcopy --only-keep-debug lib.so inside && strip --strip-all --keep-symbol=_t inside &&"
	      " xz <inside >inside.packed && strip -o bare.so lib.so &&"
	      " objcopy --add-section .gnu_debugdata=inside.packed bare.so");
	symbols = open_symbols("bare.so");
	assert_non_null(symbols);
	for (size_t i = 0; names[i]; i++) {
		char wanted[] = { 'l', 'o', 'n', 'g', '_', names[i], '\0' };

		assert_string_equal(name_at(symbols, vaddr + 4 * i), wanted);
	}
	elf_symbols_close(symbols);
}

/*
 * Exported names are preferred, except old symbol versions; among the others, the rules of perf apply: local before
 * weak, few leading underscores, long names.
 */
static void test_exported(void **state)
{
	static const char source[] =
		".section .note.GNU-stack,\"\",%progbits\n.text\n"
		".macro f name binding\n\\binding \\name\n.type \\name,%function\n.size \\name,4\n\\name:\n.endm\n"
		"f __copy_internally .local\n f copy .weak\n f an_older_copy .globl\n .space 4,0x90\n"
		".symver an_older_copy,older@OLD,remove\n"
		"f __inside_local .local\n f inside .weak\n f inside_long .weak\n .space 4,0x90\n"
		"f __all_weak .weak\n f weak_b .weak\n f weak .weak\n .space 4,0x90\n";
	struct elf_symbols *symbols;
	uint64_t vaddr;

	(void)state;
	write_text("a.s", source);
	write_text("map", "OLD { };\nNEW { global: copy; local: *; } OLD;\n");
	shell("gcc -shared -nostdlib -Wl,--version-script=map -o lib.so a.s &&"
	      " readelf -W --dyn-syms lib.so | grep -q older@OLD");
	vaddr = shell_number("nm lib.so | awk '$3==\"__copy_internally\"{print $1}'");
	symbols = open_symbols("lib.so");
	assert_non_null(symbols);
	assert_string_equal(name_at(symbols, vaddr), "copy");
	assert_string_equal(name_at(symbols, vaddr + 4), "inside_long");
	assert_string_equal(name_at(symbols, vaddr + 8), "weak_b");
	elf_symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_aliases_beside_inside, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_exported, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
