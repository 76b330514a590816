// SPDX-License-Identifier: GPL-2.0-only
/* Names of C++, Rust and OCaml functions, and malicious names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "elf/demangle.h"

static const struct {
	const char *symbol, *name;	/* "": not mangled */
} names[] = {
	{ "main", "" },
	{ "_start", "" },
	{ "_", "" },
	{ "", "" },
	{ "_Z", "" },
	{ "_R", "" },
	{ "_ZN", "" },
	{ "_Zebra", "" },
	{ "_Z3foov", "foo()" },
	{ "_ZN3foo3barEPKc", "foo::bar(char const*)" },
	{ "_Z3fooIiEvT_", "foo<int>(int)" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)" },
	{ "_ZN3foo3barEv.cold", "foo::bar() [clone .cold]" },
	{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
	{ "_RNvNtCs1234_7mycrate3bar3foo", "mycrate::bar::foo" },
	{ "camlStdlib__List__map_456", "Stdlib.List.map" },
	{ "camlDune__exe__Main__fun_123", "Dune.exe.Main.fun" },
	{ "camlMain__entry", "Main.entry" },
	{ "camlMain__loop2_10", "Main.loop2" },
	{ "camlMain__f$27_10", "Main.f'" },
	{ "camlMain__anon_fn$5bmain.ml$3a3$2c4$2d$2d20$5d_7", "Main.anon_fn[main.ml:3,4--20]" },
	{ "camlStdlib__$40_17", "Stdlib.@" },
	{ "camlStdlib.List.map_456", "Stdlib.List.map" },
	{ "camlStdlib$List$add_456", "Stdlib.List.add" },
	{ "caml_alloc_small", "" },
	{ "caml", "" },
	{ "camlBack", "" },
	{ "camlMain__", "" },
	{ "camlX$", "" },
};

static void test_names(void **state)
{
	char name[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(demangle(names[i].symbol, name, sizeof(name)), *names[i].name != '\0');
		assert_string_equal(name, names[i].name);
	}
}

/* A demangled name fits completely, or is not returned. */
static void test_small_buffers(void **state)
{
	const char *full = "foo::bar(char const*)";
	char name[64];

	(void)state;
	for (size_t size = 0; size < sizeof(name); size++) {
		bool fits = size > strlen(full);

		memset(name, 'x', sizeof(name));
		assert_int_equal(demangle("_ZN3foo3barEPKc", name, size), fits);
		if (size)
			assert_string_equal(name, fits ? full : "");
		assert_int_equal(name[sizeof(name) - 1], 'x');
	}
}

static void test_functions(void **state)
{
	static const struct {
		const char *symbol, *name;
	} functions[] = {
		{ "main", "main" },
		{ "memcpy@@GLIBC_2.14", "memcpy" },
		{ "memcpy@GLIBC_2.2.5", "memcpy" },
		{ "memcpy@plt", "memcpy@plt" },
		{ "@plt", "@plt" },
		{ "@", "@" },
		{ "_ZN3foo3barEPKc@plt", "foo::bar(char const*)@plt" },
		{ "_ZN3foo3barEPKc@@V_1", "foo::bar(char const*)" },
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		demangle_function(functions[i].symbol, name, sizeof(name));
		assert_string_equal(name, functions[i].name);
	}
	/* If the demangled name does not fit, the mangled name is truncated. */
	demangle_function("_ZN3foo3barEPKc@plt", name, 20);
	assert_string_equal(name, "_ZN3foo3barEPKc@plt");
}

/* Each template argument doubles the output: 250 characters would demangle to half a gigabyte. */
static void test_explosion(void **state)
{
	const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[1024] = "_Z1f1XIiiE", name[4096];

	(void)state;
	for (size_t i = 0; i < 36; i++)
		sprintf(symbol + strlen(symbol), "S_IS%c_S%c_E", digits[i], digits[i]);
	assert_false(demangle(symbol, name, sizeof(name)));
	assert_string_equal(name, "");
}

static void test_long_input(void **state)
{
	size_t size = 1 << 20;
	char *symbol = malloc(size), name[64];

	(void)state;
	memset(symbol, 'P', size);
	memcpy(symbol, "_Z1f", 4);
	symbol[size - 1] = '\0';
	assert_false(demangle(symbol, name, sizeof(name)));
	free(symbol);
}

static void test_random(void **state)
{
	static const char letters[] = "_ZNRSTIEKPvic0123456789hCsMXYBFDpLnb.$u";
	char symbol[64], name[512];

	(void)state;
	srand(1);
	for (int round = 0; round < 100000; round++) {
		size_t length = 2 + rand() % 40;

		memcpy(symbol, rand() % 2 ? "_Z" : "_R", 2);
		for (size_t i = 2; i < length; i++)
			symbol[i] = letters[rand() % (sizeof(letters) - 1)];
		symbol[length] = '\0';
		if (demangle(symbol, name, sizeof(name)))
			assert_in_range(strlen(name), 1, sizeof(name) - 1);
		else
			assert_string_equal(name, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_small_buffers),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_explosion),
		cmocka_unit_test(test_long_input),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
