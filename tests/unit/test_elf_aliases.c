// SPDX-License-Identifier: GPL-2.0-only
/* Which of several names of a function is taken, wherever they come from. */
#include "elf_symbols_fixture.h"

/* The dynamic symbols beside those inside are chosen from by the same rule, and so are both together. */
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
	/* 20 functions of four bytes: _x, long_x, x_2 and x_1; sorted by what linkers like, which is not the name */
	for (const char *x = names; *x; x++)
		fprintf(source, ".globl _%c, long_%c, %c_2, %c_1\n.type _%c,%%function\n.type long_%c,%%function\n"
			".type %c_2,%%function\n.type %c_1,%%function\n_%c: long_%c: %c_2: %c_1: .space 4,0x90\n"
			".size _%c,4\n.size long_%c,4\n.size %c_2,4\n.size %c_1,4\n",
			*x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x, *x);
	assert_int_equal(fclose(source), 0);
	shell("gcc -shared -nostdlib -o lib.so a.s");
	vaddr = shell_number("nm lib.so | awk '$3==\"a_1\"{print $1}'");
	/* One of them has its poorest name inside as well. */
	shell("objcopy --only-keep-debug lib.so inside && strip --strip-all --keep-symbol=_t inside &&"
	      " xz <inside >inside.packed && strip -o bare.so lib.so &&"
	      " objcopy --add-section .gnu_debugdata=inside.packed bare.so");
	symbols = open_symbols("bare.so");
	assert_non_null(symbols);
	for (size_t i = 0; names[i]; i++) {
		char wanted[] = { names[i], '_', '1', '\0' };

		assert_string_equal(name_at(symbols, vaddr + 4 * i), wanted);
	}
	elf_symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_aliases_beside_inside, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
