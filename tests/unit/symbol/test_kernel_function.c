// SPDX-License-Identifier: GPL-2.0-only
/* How many functions of the kernel have a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/kernel_function.h"

static const char kallsyms[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 T do_it\n"
	"ffffffff81000200 t twice\n"
	"ffffffff81000300 t twice\n"
	"ffffffff81000400 D data\n"
	"0000000000000000 W hidden\n"
	"nonsense\n"
	"\n"
	"ffffffffc0000000 t twice\t[nat]\n"
	"ffffffffc0000100 t in_module\t[nat]\n"
	"ffffffffc0000200 t in_module\t[nat_more]\n"
	"ffffffffc0000300 T last\t[nat]";

static unsigned int count(const char *name)
{
	FILE *file = fmemopen((void *)kallsyms, strlen(kallsyms), "r");
	unsigned int nr;

	assert_non_null(file);
	nr = kernel_function_count(file, name);
	fclose(file);
	return nr;
}

static void counts(void **state)
{
	(void)state;
	assert_int_equal(count("do_it"), 1);
	assert_int_equal(count("do_i"), 0);
	assert_int_equal(count("do_it2"), 0);
	assert_int_equal(count(""), 0);
	assert_int_equal(count("twice"), 3);
	assert_int_equal(count("data"), 0);
	assert_int_equal(count("hidden"), 1);
}

static void of_modules(void **state)
{
	(void)state;
	assert_int_equal(count("in_module"), 2);
	assert_int_equal(count("nat:in_module"), 1);
	assert_int_equal(count("nat_more:in_module"), 1);
	assert_int_equal(count("na:in_module"), 0);
	assert_int_equal(count("nat:twice"), 1);
	assert_int_equal(count("nat:do_it"), 0);
	assert_int_equal(count("nat:last"), 1);
	assert_int_equal(count("nat:"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(of_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
