// SPDX-License-Identifier: GPL-2.0-only
/* Kernel functions: lists of the test, and kallsyms of this kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <malloc.h>
#include <cmocka.h>

#include "symbol/ksyms.h"

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T startup_64\n"
	"ffffffff81000100 t __pfx_local_function\n"
	"ffffffff81000110 t local_function\n"
	"ffffffff81000200 t first_alias\n"
	"ffffffff81000200 T __x64_sys_thing\n"
	"ffffffff81000200 W weak_alias\n"
	"ffffffff81000300 T __last_in_context\n"
	"ffffffff81000380 T __kprobes_text_end\n"
	"ffffffff81000400 T _etext\n"
	"ffffffff82000000 D data\n"
	"ffffffff82100000 T init_function\n"
	"ffffffff82100100 R after_init\n"
	"this line is none\n"
	"ffffffffc0002000 t second_of_module\t[ext4]\n"
	"ffffffffc0001000 t first_of_module\t[ext4]\n"
	"ffffffffc0003800 t other_module\t[xfs]\n"
	"ffffffffc0100000 t bpf_prog_0123456789abcdef_top\t[bpf]\n";

static const char modules[] =
	"ext4 8192 2 jbd2,mbcache, Live 0xffffffffc0001000\n"
	"xfs 4096 0 - Live 0xffffffffc0003000 (OE)\n"
	"nonsense\n";

struct place {
	uint64_t ip;
	const char *name, *object;	/* NULL: none */
	uint64_t delta;
};

static const struct place places[] = {
	{ 0, NULL, NULL, 0 },
	{ 0x400000, NULL, NULL, 0 },
	{ 0xffffffff80fffffe, NULL, NULL, 0 },
	{ 0xffffffff80ffffff, "startup_64", "[kernel]", 0 },
	{ 0xffffffff81000000, "startup_64", "[kernel]", 0 },
	{ 0xffffffff810000ff, "startup_64", "[kernel]", 0xff },
	{ 0xffffffff81000100, NULL, NULL, 0 },
	{ 0xffffffff8100010e, NULL, NULL, 0 },
	{ 0xffffffff8100010f, "local_function", "[kernel]", 0 },
	{ 0xffffffff81000110, "local_function", "[kernel]", 0 },
	{ 0xffffffff810002ff, "first_alias", "[kernel]", 0xff },
	{ 0xffffffff8100037f, "__last_in_context", "[kernel]", 0x7f },
	{ 0xffffffff810003ff, NULL, NULL, 0 },
	{ 0xffffffff81000400, NULL, NULL, 0 },
	{ 0xffffffff81fffff0, NULL, NULL, 0 },
	{ 0xffffffff82000000, NULL, NULL, 0 },
	{ 0xffffffff821000ff, "init_function", "[kernel]", 0xff },
	{ 0xffffffff82100100, NULL, NULL, 0 },
	{ 0xffffffffc0001fff, "first_of_module", "[ext4]", 0xfff },
	{ 0xffffffffc0002001, "second_of_module", "[ext4]", 1 },
	{ 0xffffffffc0002fff, "second_of_module", "[ext4]", 0xfff },
	{ 0xffffffffc0003000, NULL, NULL, 0 },
	{ 0xffffffffc0003900, "other_module", "[xfs]", 0x100 },
	{ 0xffffffffc0004000, NULL, NULL, 0 },
	{ 0xffffffffc0100010, "bpf_prog_0123456789abcdef_top", "[bpf]", 0x10 },
	{ 0xffffffffc0200000, NULL, NULL, 0 },
	{ UINT64_MAX, NULL, NULL, 0 },
};

static void check_places(const char *text, const char *list, const struct place *expected, size_t nr)
{
	struct ksyms *ksyms = ksyms_new(NULL);

	assert_int_equal(ksyms_parse(ksyms, text, strlen(text), list), 0);
	for (size_t i = 0; i < nr; i++) {
		const char *name = NULL, *object = NULL;
		uint64_t delta = 0;

		if (ksyms_find(ksyms, expected[i].ip, &name, &object, &delta) != (expected[i].name != NULL))
			fail_msg("%#lx is %s", (long)expected[i].ip, name ? name : "nothing");
		if (!expected[i].name)
			continue;
		assert_string_equal(name, expected[i].name);
		assert_string_equal(object, expected[i].object);
		assert_int_equal(delta, expected[i].delta);
	}
	ksyms_free(ksyms);
}

static void test_places(void **state)
{
	(void)state;
	check_places(kallsyms, modules, places, sizeof(places) / sizeof(*places));
}

/* The size of a module is the sum of its text and data, which are apart: address plus size may be in another module. */
static void test_ends(void **state)
{
	static const char text[] =
		"ffffffff81000000 T function\n"
		"ffffffffc03fc000 t a_fn\t[a]\n"
		"ffffffffc0403000 t b_first\t[b]\n"
		"ffffffffc0403f80 t b_fn\t[b]\n"
		"ffffffffc0404200 t b_last\t[b]\n"
		"ffffffffc0500000 t c_fn\t[c]\n"
		"ffffffffc0502000 t d_fn\t[d]\n";
	static const char list[] =
		"a 32768 0 - Live 0xffffffffc03fc000\n"
		"b 8192 0 - Live 0xffffffffc0403000\n"
		"c 4096 0 - Live 0xffffffffc0500000\n"
		"d 4096 0 - Live 0xffffffffc0502000\n"
		"nameless 4096 0 - Live 0xffffffffc0501800\n";
	static const struct place expected[] = {
		{ 0xffffffffc0400fff, "a_fn", "[a]", 0x4fff },
		{ 0xffffffffc0403f90, "b_fn", "[b]", 0x10 },
		{ 0xffffffffc0404010, "b_fn", "[b]", 0x90 },
		{ 0xffffffffc0404200, "b_last", "[b]", 0 },
		{ 0xffffffffc0404fff, "b_last", "[b]", 0xdff },
		{ 0xffffffffc0405000, NULL, NULL, 0 },
		{ 0xffffffffc0500fff, "c_fn", "[c]", 0xfff },
		{ 0xffffffffc0501000, NULL, NULL, 0 },
		{ 0xffffffffc0502900, "d_fn", "[d]", 0x900 },
		{ 0xffffffffc0503000, NULL, NULL, 0 },
	};

	(void)state;
	check_places(text, list, expected, sizeof(expected) / sizeof(*expected));
}

/* Modules and BPF programs are last in the list, also if their addresses are below the kernel, as on arm64. */
static void test_order(void **state)
{
	static const char text[] =
		"ffff800080010000 T _stext\n"
		"ffff800080010000 T first_of_kernel\n"
		"ffff800080020000 T second_of_kernel\n"
		"ffff800080040000 T last_of_kernel\n"
		"ffff80007a000000 t first_of_module\t[ext4]\n"
		"ffff80007a000100 t second_of_module\t[ext4]\n"
		"ffff800080030000 t bpf_prog_0123456789abcdef_top\t[bpf]\n";
	static const struct place expected[] = {
		{ 0xffff800079fffffe, NULL, NULL, 0 },
		{ 0xffff800079ffffff, "first_of_module", "[ext4]", 0 },
		{ 0xffff80007a0000ff, "first_of_module", "[ext4]", 0xff },
		{ 0xffff80007a000100, "second_of_module", "[ext4]", 0 },
		{ 0xffff800080010000, "first_of_kernel", "[kernel]", 0 },
		{ 0xffff80008002fffe, "second_of_kernel", "[kernel]", 0xfffe },
		{ 0xffff80008002ffff, "bpf_prog_0123456789abcdef_top", "[bpf]", 0 },
		{ 0xffff800080030000, "bpf_prog_0123456789abcdef_top", "[bpf]", 0 },
		{ 0xffff800080040010, "last_of_kernel", "[kernel]", 0x10 },
	};

	(void)state;
	check_places(text, modules, expected, sizeof(expected) / sizeof(*expected));
}

/* Of several names, the kernel takes the first in its list. The list of a module is not in order of address. */
static void test_aliases(void **state)
{
	static const char text[] =
		"ffffffff81000000 T same_b\n"
		"ffffffff81000000 T same_a\n"
		"ffffffff81000100 T __x86_indirect_thunk_rax\n"
		"ffffffff81000100 T __pi___x86_indirect_thunk_rax\n"
		"ffffffff81000200 T __pi_alone\n"
		"ffffffff81000300 T __boundary_text_start\n"
		"ffffffff81000300 t function_at_boundary\n"
		"ffffffffc0002000 t even_a\t[m]\n"
		"ffffffffc0002000 t even_b\t[m]\n"
		"ffffffffc0001000 t odd_b\t[m]\n"
		"ffffffffc0001000 t odd_a\t[m]\n";
	static const struct place expected[] = {
		{ 0xffffffff81000000, "same_b", "[kernel]", 0 },
		{ 0xffffffff81000100, "__x86_indirect_thunk_rax", "[kernel]", 0 },
		{ 0xffffffff81000200, "__pi_alone", "[kernel]", 0 },
		{ 0xffffffff81000300, "function_at_boundary", "[kernel]", 0 },
		{ 0xffffffffc0001000, "odd_b", "[m]", 0 },
		{ 0xffffffffc0002000, "even_a", "[m]", 0 },
	};

	(void)state;
	check_places(text, "m 8192 0 - Live 0xffffffffc0001000\n", expected, sizeof(expected) / sizeof(*expected));
}

/* The modules that belong to kallsyms[], with one difference. */
static const char one_replaced[] =
	"xfs 4096 0 - Live 0xffffffffc0003000 (OE)\n"
	"fat 8192 0 - Live 0xffffffffc0001000\n";
static const char one_gone[] = "ext4 8192 0 - Live 0xffffffffc0001000\n";
static const char one_more[] =
	"fat 8192 0 - Live 0xffffffffc0300000\n"
	"ext4 8192 0 - Live 0xffffffffc0001000\n"
	"xfs 4096 0 - Live 0xffffffffc0003000 (OE)\n";

static const char *name_later(struct ksyms *ksyms, uint64_t ip)
{
	const char *name, *object;
	uint64_t delta;

	return ksyms_find(ksyms, ip, &name, &object, &delta) ? name : "";
}

/* The list of modules has changed: samples from before must be symbolized with the old symbols. */
static void test_modules_change(void **state)
{
	struct ksyms *ksyms = ksyms_new(NULL);

	(void)state;
	assert_int_equal(ksyms_parse(ksyms, kallsyms, strlen(kallsyms), modules), 0);
	assert_int_equal(ksyms_parse_later(ksyms, one_replaced), 0);
	assert_string_equal(name_later(ksyms, 0xffffffffc0001000), "");
	assert_string_equal(name_later(ksyms, 0xffffffffc0003900), "other_module");
	assert_string_equal(name_later(ksyms, 0xffffffff81000110), "local_function");
	ksyms_age(ksyms);
	assert_int_equal(ksyms_nr(ksyms), 0);

	assert_int_equal(ksyms_parse(ksyms, kallsyms, strlen(kallsyms), modules), 0);
	assert_string_equal(name_later(ksyms, 0xffffffffc0001000), "first_of_module");
	assert_int_equal(ksyms_parse_later(ksyms, one_gone), 0);
	assert_string_equal(name_later(ksyms, 0xffffffffc0001000), "first_of_module");
	assert_string_equal(name_later(ksyms, 0xffffffffc0003900), "other_module");
	ksyms_age(ksyms);
	assert_int_equal(ksyms_nr(ksyms), 0);

	assert_int_equal(ksyms_parse(ksyms, kallsyms, strlen(kallsyms), modules), 0);
	assert_int_equal(ksyms_parse_later(ksyms, modules), 0);
	ksyms_age(ksyms);
	assert_int_not_equal(ksyms_nr(ksyms), 0);
	/* The new module is at unused addresses: samples there are in the symbols of the next read. */
	assert_int_equal(ksyms_parse_later(ksyms, one_more), 0);
	assert_int_equal(ksyms_nr(ksyms), 0);
	ksyms_free(ksyms);
}

struct words {
	unsigned int nr;
	char last[256];
};

static void hear(void *ctx, enum tprof_log_level level, const char *message)
{
	struct words *words = ctx;

	if (level != TPROF_LOG_WARN)
		return;
	words->nr++;
	snprintf(words->last, sizeof(words->last), "%s", message);
}

/* kptr_restrict: all addresses are zero. */
static void test_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 t local\n";
	struct words words = { 0 };
	struct log log = { hear, &words };
	struct ksyms *ksyms = ksyms_new(&log);
	const char *name, *object;
	uint64_t delta;

	(void)state;
	assert_int_equal(ksyms_parse(ksyms, text, strlen(text), modules), -EACCES);
	assert_false(ksyms_find(ksyms, 0, &name, &object, &delta));
	assert_false(ksyms_find(ksyms, 0xffffffffc0001000, &name, &object, &delta));
	ksyms_free(ksyms);
}

/* Truncated anywhere: names are complete or missing. */
static void test_cut(void **state)
{
	(void)state;
	for (size_t size = 0; size <= strlen(kallsyms); size++) {
		struct ksyms *ksyms = ksyms_new(NULL);
		char *text = malloc(size + 1);	/* exact size, so that sanitizers detect reads beyond it */
		const char *name, *object;
		uint64_t delta;

		memcpy(text, kallsyms, size);
		ksyms_parse(ksyms, text, size, "");
		free(text);
		/* The end of the last function is unknown. */
		if (ksyms_find(ksyms, 0xffffffff81000110, &name, &object, &delta))
			assert_true(!strcmp(name, "local_function") || !strcmp(name, "_stext") ||
				    !strcmp(name, "startup_64"));
		ksyms_free(ksyms);
	}
}

/* Finds a function of the running kernel. */
static void test_running_kernel(void **state)
{
	struct ksyms *ksyms = ksyms_new(NULL);
	const char *name, *object;
	unsigned long long ip = 0;
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512];
	uint64_t delta;

	(void)state;
	while (file && fgets(line, sizeof(line), file)) {
		if (strstr(line, " vfs_read\n"))
			ip = strtoull(line, NULL, 16);
	}
	if (file)
		fclose(file);
	if (!ip) {
		ksyms_free(ksyms);
		skip();
	}
	for (int age = 0; age < 2; age++) {
		assert_true(ksyms_find(ksyms, ip + 4, &name, &object, &delta));
		assert_string_equal(name, "vfs_read");
		assert_string_equal(object, "[kernel]");
		assert_int_equal(delta, 4);
		/* An address without a name causes another read of the list. */
		assert_false(ksyms_find(ksyms, 0x8000000000000000, &name, &object, &delta));
		assert_true(ksyms_nr(ksyms) > 1000);
		ksyms_age(ksyms);
		assert_int_equal(ksyms_nr(ksyms), 0);
		assert_true(ksyms_find(ksyms, ip, &name, &object, &delta));
		ksyms_age(ksyms);
		assert_true(ksyms_nr(ksyms) > 1000);
		ksyms_free(ksyms);
		ksyms = ksyms_new(NULL);
	}
	ksyms_free(ksyms);
}

#define MANY_SYMBOLS 100000

/* As many symbols as a kernel has; static, so that the list is the first large allocation. */
static char many_symbols[MANY_SYMBOLS * 64];

static size_t make_many_symbols(void)
{
	size_t size = 0;

	for (unsigned int i = 0; i < MANY_SYMBOLS; i++)
		size += sprintf(many_symbols + size, "%lx t some_function_of_the_kernel_%u\n",
				0xffffffff81000000 + 16ul * i, i);
	return size;
}

/* Returns the heap size of the allocator; 0 with sanitizers, which have their own allocator. */
static size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.arena + info.hblkhd;
}

/* The list is read repeatedly on machines that run code without a name. */
static void test_read_again(void **state)
{
	struct ksyms *ksyms = ksyms_new(NULL);
	size_t size = make_many_symbols(), once = 0;
	const char *name, *object;
	uint64_t delta;

	(void)state;
	for (int reading = 0; reading < 5; reading++) {
		assert_int_equal(ksyms_parse(ksyms, many_symbols, size, ""), 0);
		assert_int_equal(ksyms_nr(ksyms), MANY_SYMBOLS);
		assert_true(ksyms_find(ksyms, 0xffffffff81000010, &name, &object, &delta));
		assert_string_equal(name, "some_function_of_the_kernel_1");
		if (!reading)
			once = heap_bytes();
		/* Permits a tenth of a list; fragmentation would be larger. */
		assert_true(heap_bytes() <= once + size / 10);
		assert_false(ksyms_find(ksyms, 0x8000000000000000, &name, &object, &delta));
		for (int age = 0; age < 64 && ksyms_nr(ksyms); age++)
			ksyms_age(ksyms);
	}
	ksyms_free(ksyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_again),	/* first: it measures the heap */
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_modules_change),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
