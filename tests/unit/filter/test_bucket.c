// SPDX-License-Identifier: GPL-2.0-only
/* Buckets: what filters compute, their bounds, and their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tprof/bucket.bpf.h>

#include "filter/bucket.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static void log2_of_a_number(void **state)
{
	static const struct { uint64_t value; uint32_t bucket; } known[] = {
		{ 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 3 }, { 7, 3 }, { 8, 4 }, { 255, 8 }, { 256, 9 },
		{ 1000000, 20 }, { UINT32_MAX, 32 }, { 1ULL << 32, 33 }, { UINT64_MAX, 64 },
	};

	(void)state;
	for (size_t i = 0; i < NR(known); i++)
		assert_int_equal(tprof_log2(known[i].value), known[i].bucket);
	/* At each border. */
	for (unsigned int bits = 1; bits < 64; bits++) {
		assert_int_equal(tprof_log2((1ULL << bits) - 1), bits);
		assert_int_equal(tprof_log2(1ULL << bits), bits + 1);
	}
}

/* Each number is in its bucket, and the buckets have no gap between them. */
static void bounds_of_log2(void **state)
{
	struct bucket bucket, before = { 0 };

	(void)state;
	for (uint64_t number = 0; number <= 64; number++) {
		assert_true(bucket_of(VALUE_LOG2, number, &bucket));
		assert_int_equal(bucket.from, before.to);
		assert_int_equal(tprof_log2(bucket.from), number);
		assert_int_equal(tprof_log2(bucket.to - 1), number);
		before = bucket;
	}
	assert_int_equal(bucket.to, BUCKET_NO_END);
	assert_false(bucket_of(VALUE_LOG2, 65, &bucket));
	assert_false(bucket_of(VALUE_LOG2_NS, UINT64_MAX, &bucket));
	assert_false(bucket_of(VALUE_NUMBER, 1, &bucket));
}

static void bounds_of_linear(void **state)
{
	static const struct { uint64_t value, from, to; } known[] = {
		{ 0, 0, 100 }, { 99, 0, 100 }, { 100, 100, 600 }, { 599, 100, 600 }, { 600, 600, 1000 },
		{ 999, 600, 1000 }, { 1000, 1000, BUCKET_NO_END }, { UINT64_MAX, 1000, BUCKET_NO_END },
	};
	struct bucket bucket;

	(void)state;
	for (size_t i = 0; i < NR(known); i++) {
		assert_true(bucket_of(VALUE_LINEAR, tprof_linear(known[i].value, 100, 1000, 500), &bucket));
		assert_int_equal(bucket.from, known[i].from);
		assert_int_equal(bucket.to, known[i].to);
	}
	assert_true(bucket_of(VALUE_LINEAR, tprof_linear(UINT32_MAX - 1, 0, UINT32_MAX, 10), &bucket));
	assert_int_equal(bucket.from, 4294967290);
	assert_int_equal(bucket.to, UINT32_MAX);
	assert_false(bucket_of(VALUE_LINEAR, 5ULL << 32 | 5, &bucket));
}

/* A key of one member with this typedef prints this. */
static void prints(const char *name, uint32_t size, uint64_t number, const char *wanted)
{
	struct btf *btf = btf__new_empty();
	int type = btf__add_typedef(btf, name, btf__add_int(btf, "integer", size, 0));
	struct value_layout layout;
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_int_equal(value_layout_init(&layout, btf, (uint32_t)type), 0);
	value_print(out, &layout, &number, NULL);
	fclose(out);
	btf__free(btf);
	assert_string_equal(text, wanted);
}

static void text(void **state)
{
	static const struct { uint64_t bucket; const char *plain, *ns; } known[] = {
		{ 0, "[0]", "[0ns]" }, { 1, "[1]", "[1ns]" }, { 2, "[2, 4)", "[2ns, 4ns)" },
		{ 10, "[512, 1K)", "[512ns, 1.02us)" }, { 11, "[1K, 2K)", "[1.02us, 2.05us)" },
		{ 20, "[512K, 1M)", "[524us, 1.05ms)" }, { 30, "[512M, 1G)", "[537ms, 1.074s)" },
		{ 33, "[4G, 8G)", "[4.295s, 8.590s)" }, { 64, "[8E, 16E)", "[9223372036.855s, 18446744073.710s)" },
		/* Filters may write any number. */
		{ 65, "65", "65" }, { UINT32_MAX, "4294967295", "4294967295" },
	};

	(void)state;
	for (size_t i = 0; i < NR(known); i++) {
		prints("tprof_log2_t", 4, known[i].bucket, known[i].plain);
		prints("tprof_log2_ns_t", 4, known[i].bucket, known[i].ns);
	}
	prints("tprof_linear_t", 8, tprof_linear(7, 0, 100, 5), "[5, 10)");
	prints("tprof_linear_t", 8, tprof_linear(1, 0, 3, 1), "[1]");
	prints("tprof_linear_t", 8, tprof_linear(100, 0, 100, 5), "[100, ...)");
	prints("tprof_linear_t", 8, 5ULL << 32 | 6, "21474836486");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log2_of_a_number),
		cmocka_unit_test(bounds_of_log2),
		cmocka_unit_test(bounds_of_linear),
		cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
