// SPDX-License-Identifier: GPL-2.0-only
/* The symbols of a file are read with few system calls: a large file would otherwise take thousands. */
#include "../elf_symbols_fixture.h"

#define NR_FUNCTIONS 2000
#define NR_LONG 500

/* The number of calls of read() and pread() of this process so far; -1 if the kernel does not count them. */
static long nr_reads(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	char line[64];
	long nr = -1;

	while (file && nr < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "syscr: %ld", &nr);
	if (file)
		fclose(file);
	return nr;
}

/* Functions that call each other through the procedure linkage table, each with an alias. */
static void build_large(const char *flags)
{
	FILE *file = fopen("large.c", "w");

	assert_non_null(file);
	for (int i = 0; i < NR_FUNCTIONS; i++)
		fprintf(file, "int function_of_the_library_%d(void) { return %d; }\n"
			"int alias_%d(void) __attribute__((alias(\"function_of_the_library_%d\")));\n", i, i, i, i);
	fprintf(file, "int caller(void)\n{\n\tint sum = 0;\n\n");
	for (int i = 0; i < NR_FUNCTIONS; i += 4)
		fprintf(file, "\tsum += function_of_the_library_%d();\n", i);
	fprintf(file, "\treturn sum;\n}\n");
	fclose(file);
	shell("cc -shared -fPIC -fno-inline -fsemantic-interposition -O1 %s -o large.so large.c", flags);
}

/* Names of 2 MiB. The table has the aliases in another order than that of their addresses. */
static void build_long_names(void)
{
	FILE *file = fopen("long.c", "w");

	assert_non_null(file);
	for (int i = 0; i < NR_LONG; i++)
		fprintf(file, "int function_%02400d(void) { return %d; }\n", i, i);
	for (int i = 0; i < NR_LONG; i++)
		fprintf(file, "int alias_%02400d(void) __attribute__((alias(\"function_%02400d\")));\n", i,
			i * 97 % NR_LONG);
	fclose(file);
	shell("cc -shared -fPIC -O1 -o long.so long.c");
}

static void count(const char *name, const char *function)
{
	long before = nr_reads(), after;
	struct elf_symbols *symbols = open_symbols(name);
	bool found = false;

	after = nr_reads();
	assert_non_null(symbols);
	print_message("# %s: %ld reads\n", name, after - before);
	if (before >= 0)
		assert_in_range(after - before, 2, 120);
	for (uint64_t at = 0; at < 1 << 20 && !found; at += 4)
		found = !strcmp(name_at(symbols, at), function);
	assert_true(found);
	elf_symbols_close(symbols);
}

static void test_symtab(void **state)
{
	(void)state;
	build_large("");
	count("large.so", "function_of_the_library_1999");
}

static void test_stripped(void **state)
{
	(void)state;
	build_large("");
	shell("strip -o stripped.so large.so");
	count("stripped.so", "function_of_the_library_1999");
}

/* The dynamic symbols are in one file and the others in another. */
static void test_debug_file(void **state)
{
	(void)state;
	build_large("-g1");
	shell("mkdir .debug && objcopy --only-keep-debug large.so .debug/large.debug && strip large.so && "
	      "objcopy --add-gnu-debuglink=.debug/large.debug large.so");
	count("large.so", "function_of_the_library_1999");
}

static void test_long_names(void **state)
{
	struct elf_symbols *symbols;
	long before, after;

	(void)state;
	build_long_names();
	before = nr_reads();
	symbols = open_symbols("long.so");
	after = nr_reads();
	assert_non_null(symbols);
	print_message("# long.so: %ld reads\n", after - before);
	if (before >= 0)
		assert_in_range(after - before, 2, 500);
	elf_symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_symtab, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_stripped, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_debug_file, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_long_names, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
