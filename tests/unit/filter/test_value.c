// SPDX-License-Identifier: GPL-2.0-only
/* Keys and values with types from BTF. The test builds the BTF itself, so that it needs no compiler. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <errno.h>
#include <cmocka.h>

#include "filter/value.h"
#include "uapi/tprof_wait.h"

/* The types of the tests, with the IDs from libbpf. */
static struct {
	struct btf *btf;
	int u8, u32, s32, u64, u128, chr, boolean, pointer;
	int ip, stack, tgid, exec, flags, ns;
	int name16, u64x127, u32x2;
	int colour, comm;
} t;

static int add_typedef(const char *name, int type)
{
	return btf__add_typedef(t.btf, name, type);
}

static int setup(void **state)
{
	(void)state;
	t.btf = btf__new_empty();
	t.u8 = btf__add_int(t.btf, "unsigned char", 1, 0);
	t.u32 = btf__add_int(t.btf, "unsigned int", 4, 0);
	t.s32 = btf__add_int(t.btf, "int", 4, BTF_INT_SIGNED);
	t.u64 = btf__add_int(t.btf, "unsigned long long", 8, 0);
	t.u128 = btf__add_int(t.btf, "unsigned __int128", 16, 0);
	t.chr = btf__add_int(t.btf, "char", 1, BTF_INT_SIGNED);
	t.boolean = btf__add_int(t.btf, "_Bool", 1, BTF_INT_BOOL);
	t.pointer = btf__add_ptr(t.btf, 0);
	t.ip = add_typedef("tprof_ip_t", add_typedef("__u64", t.u64));
	t.stack = add_typedef("tprof_stack_t", t.u64);
	t.ns = add_typedef("tprof_ns_t", t.u64);
	t.tgid = add_typedef("tprof_tgid_t", add_typedef("__u32", t.u32));
	t.exec = add_typedef("tprof_exec_t", t.u32);
	t.flags = add_typedef("tprof_flags_t", t.u32);
	t.name16 = btf__add_array(t.btf, t.u32, t.chr, 16);
	t.u64x127 = btf__add_array(t.btf, t.u32, t.u64, 127);
	t.u32x2 = btf__add_array(t.btf, t.u32, t.u32, 2);
	t.colour = btf__add_enum(t.btf, "colour", 4);
	btf__add_enum_value(t.btf, "RED", 1);
	btf__add_enum_value(t.btf, "GREEN", 2);
	t.comm = btf__add_struct(t.btf, "tprof_comm", 16);
	btf__add_field(t.btf, "name", t.name16, 0, 0);
	return t.comm < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	btf__free(t.btf);
	return 0;
}

static const char *word_ip(void *ctx, const struct value_layout *layout, const void *data, uint64_t ip)
{
	(void)ctx, (void)layout, (void)data;
	return ip == 0x1000 ? "main" : NULL;
}

static const char *word_process(void *ctx, const struct value_layout *layout, const void *data, uint32_t tgid)
{
	(void)ctx, (void)layout, (void)data;
	return tgid == 42 ? "bash" : NULL;
}

static const struct value_words words = { .ip = word_ip, .process = word_process };

static void assert_prints(int type_id, const void *data, const struct value_words *use, const char *expected)
{
	struct value_layout layout;
	char *text = NULL;
	size_t size;
	FILE *out;

	assert_int_equal(value_layout_init(&layout, t.btf, type_id), 0);
	out = open_memstream(&text, &size);
	value_print(out, &layout, data, use);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void assert_type(int type_id, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	value_print_type(out, t.btf, type_id);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void test_key_of_top(void **state)
{
	struct { uint64_t ip; uint32_t tgid, exec; } key = { 0x1000, 42, 7 };
	const struct value_member *member;
	struct value_layout layout;
	int id;

	(void)state;
	id = btf__add_struct(t.btf, "top_key", 16);
	btf__add_field(t.btf, "ip", t.ip, 0, 0);
	btf__add_field(t.btf, "tgid", t.tgid, 64, 0);
	btf__add_field(t.btf, "exec", t.exec, 96, 0);
	assert_int_equal(value_layout_init(&layout, t.btf, id), 0);
	assert_int_equal(layout.size, 16);
	assert_int_equal(layout.holes, 0);
	assert_int_equal(layout.nr_members, 3);
	member = value_layout_find(&layout, VALUE_TGID);
	assert_non_null(member);
	assert_string_equal(member->name, "tgid");
	assert_int_equal(value_number(member, &key), 42);
	assert_null(value_layout_find(&layout, VALUE_CGROUP));
	assert_prints(id, &key, &words, "ip=main tgid=bash (42)");
	key.tgid = 43;
	key.ip = 0x2000;
	assert_prints(id, &key, &words, "ip=0x2000 tgid=43");
	assert_prints(id, &key, NULL, "ip=0x2000 tgid=43");
	assert_type(id, "struct top_key { tprof_ip_t ip; tprof_tgid_t tgid; tprof_exec_t exec; }");
}

static const char *word_waker(void *ctx, uint64_t id)
{
	(void)ctx;
	return id == 99 ? "writer;main" : NULL;
}

/* Wakers that are not there are not printed beside others. */
static void wakers_of_a_key(void **state)
{
	const struct value_words spoken = { .waker = word_waker };
	struct { uint64_t number, wakers[2]; } key = { .number = 5 };
	int waker = add_typedef("tprof_waker_t", add_typedef("__u64", t.u64));
	int array = btf__add_array(t.btf, t.u32, waker, 2), id;

	(void)state;
	id = btf__add_struct(t.btf, "woken", sizeof(key));
	btf__add_field(t.btf, "number", t.u64, 0, 0);
	btf__add_field(t.btf, "wakers", array, 64, 0);
	assert_prints(id, &key, &spoken, "number=5");
	key.wakers[0] = 99;
	assert_prints(id, &key, &spoken, "number=5 wakers[0]=writer;main");
	key.wakers[1] = 0x77;
	assert_prints(id, &key, &spoken, "number=5 wakers[0]=writer;main wakers[1]=0x77");
	key.wakers[0] = 0;
	assert_prints(waker, &key.wakers[0], &spoken, "[no waker]");
}

static const char *word_event(void *ctx, uint64_t index)
{
	(void)ctx;
	return index ? "page-faults" : "cpu-clock";
}

/* Process and event in one number are two members; the event can be hidden. */
static void process_and_event(void **state)
{
	const struct value_words spoken = { .process = word_process, .event = word_event };
	struct { uint64_t ip; uint32_t tgid, pad; } key = { .tgid = 42 | 1U << 24 };
	struct value_layout layout;
	int type = add_typedef("tprof_tgid_event_t", add_typedef("__u32", t.u32)), id;
	char text[256] = "";
	FILE *out;

	(void)state;
	id = btf__add_struct(t.btf, "key", sizeof(key));
	btf__add_field(t.btf, "tgid", type, 64, 0);
	assert_int_equal(value_layout_init(&layout, t.btf, (uint32_t)id), 0);
	assert_int_equal(layout.nr_members, 2);
	assert_int_equal(value_number(value_layout_find(&layout, VALUE_TGID), &key), 42);
	assert_int_equal(value_number(value_layout_find(&layout, VALUE_EVENT), &key), 1);
	out = fmemopen(text, sizeof(text), "w");
	value_print(out, &layout, &key, &spoken);
	fclose(out);
	/* Rows have the event beside their key; so a key of one other member is printed as if it was not a struct. */
	assert_string_equal(text, "bash (42)");
	value_layout_hide(&layout, VALUE_EVENT);
	assert_null(value_layout_find(&layout, VALUE_EVENT));
	assert_int_equal(value_number(value_layout_find(&layout, VALUE_TGID), &key), 42);
}

static void test_scalars(void **state)
{
	uint8_t wide[16] = { 0x10, 0x32 };
	int32_t minus = -5;
	uint32_t number = 2;
	uint64_t big = UINT64_MAX;
	uint8_t one = 1;

	(void)state;
	assert_prints(t.s32, &minus, NULL, "-5");
	assert_prints(t.u32, &number, NULL, "2");
	assert_prints(t.u64, &big, NULL, "18446744073709551615");
	assert_prints(t.boolean, &one, NULL, "true");
	assert_prints(t.colour, &number, NULL, "GREEN");
	number = 9;
	assert_prints(t.colour, &number, NULL, "9");
	assert_prints(t.pointer, &big, NULL, "0xffffffffffffffff");
	assert_prints(t.u128, wide, NULL, "0x00000000000000000000000000003210");
	assert_prints(t.tgid, &number, &words, "9");
	assert_prints(t.exec, &number, &words, "0x9");
	assert_type(t.tgid, "tprof_tgid_t");
	assert_type(t.u32x2, "unsigned int[2]");
}

static void test_kinds_of_numbers(void **state)
{
	uint32_t flags = TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_SOFTIRQ | 1U << 30;
	int s32 = btf__add_int(t.btf, "int", 4, BTF_INT_SIGNED);
	uint32_t state_of_thread;
	int32_t syscall_number;
	uint64_t number = 0;

	(void)state;
	assert_prints(t.stack, &number, NULL, "[no stack]");
	assert_prints(t.ns, &number, NULL, "0ns");
	number = 1234567;
	assert_prints(t.ns, &number, NULL, "1.23ms");
	assert_prints(t.stack, &number, NULL, "0x12d687");
	assert_prints(t.flags, &flags, NULL, "kernel|softirq|0x40000000");
	flags = 0;
	assert_prints(t.flags, &flags, NULL, "0");
	state_of_thread = TPROF_STATE_IOWAIT;
	assert_prints(add_typedef("tprof_state_t", t.u32), &state_of_thread, NULL, "iowait");
	state_of_thread = 4711;
	assert_prints(add_typedef("tprof_state_t", t.u32), &state_of_thread, NULL, "4711");
	syscall_number = SYS_read;
	assert_prints(add_typedef("tprof_syscall_t", s32), &syscall_number, NULL, "read");
	syscall_number = -1;
	assert_prints(add_typedef("tprof_syscall_t", s32), &syscall_number, NULL, "[no system call]");
	syscall_number = 100000;
	assert_prints(add_typedef("tprof_syscall_t", s32), &syscall_number, NULL, "100000");
}

static void test_times_around_a_unit(void **state)
{
	static const struct { uint64_t ns; const char *text; } times[] = {
		{ 999, "999ns" }, { 1000, "1us" }, { 999499, "999us" }, { 999500, "1ms" }, { 999999, "1ms" },
		{ 1000000, "1ms" }, { 999499999, "999ms" }, { 999500000, "1.000s" }, { 999999999, "1.000s" },
		{ 1000000000, "1.000s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_prints(t.ns, &times[i].ns, NULL, times[i].text);
}

static void test_text(void **state)
{
	char name[16] = "ksoftirqd/0";
	char full[16] = "0123456789abcdef";
	char odd[16] = "a\x1b[b\n";

	(void)state;
	assert_prints(t.comm, name, NULL, "ksoftirqd/0");
	assert_prints(t.name16, full, NULL, "0123456789abcdef");
	assert_prints(t.name16, odd, NULL, "a\\x1b[b\\x0a");
	assert_type(t.comm, "struct tprof_comm { char name[16]; }");
}

static void test_nested(void **state)
{
	struct { uint32_t a; struct { uint32_t x; int32_t y; } b; uint32_t c[2]; uint32_t d; } key = {
		1, { 2, -3 }, { 4, 5 }, 6,
	};
	int inner, anonymous, id;

	(void)state;
	inner = btf__add_struct(t.btf, "inner", 8);
	btf__add_field(t.btf, "x", t.u32, 0, 0);
	btf__add_field(t.btf, "y", t.s32, 32, 0);
	anonymous = btf__add_struct(t.btf, "", 4);
	btf__add_field(t.btf, "d", t.u32, 0, 0);
	id = btf__add_struct(t.btf, "outer", 24);
	btf__add_field(t.btf, "a", t.u32, 0, 0);
	btf__add_field(t.btf, "b", inner, 32, 0);
	btf__add_field(t.btf, "c", t.u32x2, 96, 0);
	btf__add_field(t.btf, "", anonymous, 160, 0);
	assert_prints(id, &key, NULL, "a=1 b.x=2 b.y=-3 c[0]=4 c[1]=5 d=6");
	assert_prints(t.u32x2, &key.c, NULL, "[0]=4 [1]=5");
}

static void test_bit_fields(void **state)
{
	struct { uint32_t low : 3, high : 7, rest : 22; int32_t minus : 5; } key = {
		.low = 5, .high = 99, .rest = 1234567, .minus = -3,
	};
	struct value_layout layout;
	int id;

	(void)state;
	id = btf__add_struct(t.btf, "bits", 8);
	btf__add_field(t.btf, "low", t.u32, 0, 3);
	btf__add_field(t.btf, "high", t.u32, 3, 7);
	btf__add_field(t.btf, "rest", t.u32, 10, 22);
	btf__add_field(t.btf, "minus", t.s32, 32, 5);
	assert_prints(id, &key, NULL, "low=5 high=99 rest=1234567 minus=-3");
	assert_int_equal(value_layout_init(&layout, t.btf, id), 0);
	assert_int_equal(layout.holes, 4);
	assert_type(id, "struct bits { unsigned int low : 3; unsigned int high : 7; unsigned int rest : 22; "
			"int minus : 5; }");
}

static void test_straddling_bit_field(void **state)
{
	uint8_t key[9] = { 0 };
	int id;

	(void)state;
	id = btf__add_struct(t.btf, "packed_bits", 9);
	btf__add_field(t.btf, "odd", t.u8, 0, 5);
	btf__add_field(t.btf, "wide", t.u64, 5, 62);
	memset(key, 0xff, 8);
	key[8] = 0x03;
	assert_prints(id, key, NULL, "odd=31 wide=2305843009213693951");
}

static void test_holes(void **state)
{
	struct value_layout layout;
	int id;

	(void)state;
	id = btf__add_struct(t.btf, "holey", 24);
	btf__add_field(t.btf, "small", t.u32, 0, 0);
	btf__add_field(t.btf, "big", t.u64, 64, 0);
	btf__add_field(t.btf, "byte", t.u8, 128, 0);
	assert_int_equal(value_layout_init(&layout, t.btf, id), 0);
	assert_int_equal(layout.holes, 11);
}

static void test_bytes(void **state)
{
	struct { uint32_t nr, flags; uint64_t ip[127]; } stack = { .nr = 1 };
	uint8_t four[4] = { 1, 2, 3, 4 };
	struct value_layout layout;
	int id, choice;

	(void)state;
	id = btf__add_struct(t.btf, "tprof_stack", sizeof(stack));
	btf__add_field(t.btf, "nr_frames", t.u32, 0, 0);
	btf__add_field(t.btf, "flags", t.u32, 32, 0);
	btf__add_field(t.btf, "ip", t.u64x127, 64, 0);
	assert_int_equal(value_layout_init(&layout, t.btf, id), 0);
	assert_int_equal(layout.nr_members, 3);
	assert_int_equal(layout.members[2].kind, VALUE_BYTES);
	assert_int_equal(layout.holes, 0);
	choice = btf__add_union(t.btf, "choice", 4);
	btf__add_field(t.btf, "a", t.u32, 0, 0);
	btf__add_field(t.btf, "b", t.s32, 0, 0);
	assert_prints(choice, four, NULL, "0x01020304");
}

static void test_refused(void **state)
{
	struct value_layout layout;
	int id, i, liar;
	char name[8];

	(void)state;
	assert_int_equal(value_layout_init(&layout, t.btf, 0), -EINVAL);
	assert_int_equal(value_layout_init(&layout, t.btf, 99999), -EINVAL);
	id = btf__add_struct(t.btf, "many", 33);
	for (i = 0; i < 33; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		btf__add_field(t.btf, name, t.u8, i * 8, 0);
	}
	assert_int_equal(value_layout_init(&layout, t.btf, id), -E2BIG);
	liar = btf__add_struct(t.btf, "liar", 8);
	btf__add_field(t.btf, "beyond", t.u64, 32, 0);
	assert_int_equal(value_layout_init(&layout, t.btf, liar), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_of_top),
		cmocka_unit_test(wakers_of_a_key),
		cmocka_unit_test(process_and_event),
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_kinds_of_numbers),
		cmocka_unit_test(test_times_around_a_unit),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_bit_fields),
		cmocka_unit_test(test_straddling_bit_field),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
