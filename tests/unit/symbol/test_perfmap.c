// SPDX-License-Identifier: GPL-2.0-only
/* The text of a perf-PID.map: its lines, and lines that replace others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>

#include "symbol/perfmap.h"

static const char text[] =
	"1000 100 first\n"
	"2000 80 LazyCompile:~with blanks /a/b.js:1:2\n"
	"0x3000 0x10 prefixed\n"
	"1040 20 inside first\n"
	"2000 80 second use of the memory\n"
	"4000 100 old\n"
	"3ff0 40 over the start of old\n"
	"5000 0 empty\n"
	"zzz 10 no number\n"
	"6000\n"
	"6000 10\n"
	"6000 10 \n"
	"ffffffffffffffff 10 beyond the end\n"
	"11112222333344445 10 too long\n"
	"7000 10 unfini";

static const struct {
	uint64_t ip;
	const char *name;	/* NULL: none */
	uint64_t delta;
} places[] = {
	{ 0xfff, NULL, 0 },
	{ 0x1000, "first", 0 },
	{ 0x103f, "first", 0x3f },
	{ 0x1040, "inside first", 0 },
	{ 0x105f, "inside first", 0x1f },
	{ 0x1060, "first", 0x60 },
	{ 0x10ff, "first", 0xff },
	{ 0x1100, NULL, 0 },
	{ 0x2000, "second use of the memory", 0 },
	{ 0x3008, "prefixed", 8 },
	{ 0x3010, NULL, 0 },
	{ 0x4000, "over the start of old", 0x10 },
	{ 0x4030, "old", 0x30 },
	{ 0x5000, NULL, 0 },
	{ 0x6000, NULL, 0 },
	{ 0x7000, NULL, 0 },
	{ UINT64_MAX, NULL, 0 },
};

static void test_places(void **state)
{
	struct perfmap *map = perfmap_parse(text, strlen(text), SIZE_MAX);

	(void)state;
	assert_non_null(map);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *name = NULL;
		uint64_t delta;

		if (perfmap_find(map, places[i].ip, &name, &delta) != (places[i].name != NULL))
			fail_msg("%#lx is %s", (long)places[i].ip, name ? name : "nothing");
		if (!places[i].name)
			continue;
		assert_string_equal(name, places[i].name);
		assert_int_equal(delta, places[i].delta);
	}
	perfmap_free(map);
}

/* With random overlaps, the last line for each byte is used. */
static void test_overlaps(void **state)
{
	static char lines[1 << 16];
	int truth[512];
	size_t size = 0;

	(void)state;
	srand(7);
	memset(truth, -1, sizeof(truth));
	for (int i = 0; i < 300; i++) {
		int start = rand() % 448, length = 1 + rand() % (i % 10 ? 8 : 64);

		size += sprintf(lines + size, "%x %x f%d\n", start, length, i);
		for (int at = start; at < start + length; at++)
			truth[at] = i;
	}
	struct perfmap *map = perfmap_parse(lines, size, SIZE_MAX);

	for (int at = 0; at < 512; at++) {
		const char *name;
		uint64_t delta;
		bool found = perfmap_find(map, at, &name, &delta);

		assert_int_equal(found, truth[at] >= 0);
		if (found)
			assert_int_equal(atoi(name + 1), truth[at]);
	}
	perfmap_free(map);
}

#define MANY_LINES 1000000

/* Many lines below one that covers all of them: a linear search for each address would time out. */
static void test_many_under_one(void **state)
{
	char *lines = malloc(MANY_LINES * 24 + 64);
	struct perfmap *map;
	const char *name;
	uint64_t delta;
	size_t size;

	(void)state;
	assert_non_null(lines);
	size = sprintf(lines, "0 ffffffffffffff below\n");
	for (unsigned int i = 0; i < MANY_LINES; i++)
		size += sprintf(lines + size, "%x 8 f%u\n", i * 16, i);
	map = perfmap_parse(lines, size, SIZE_MAX);
	free(lines);
	assert_non_null(map);
	for (unsigned int i = 0; i < MANY_LINES; i++) {
		assert_true(perfmap_find(map, i * 16 + 4, &name, &delta));
		if ((unsigned int)atoi(name + 1) != i || delta != 4)
			fail_msg("%#x is %s+%lu", i * 16 + 4, name, (long)delta);
		assert_true(perfmap_find(map, i * 16 + 8, &name, &delta));
		if (strcmp(name, "below") || delta != i * 16 + 8)
			fail_msg("%#x is %s+%lu", i * 16 + 8, name, (long)delta);
	}
	perfmap_free(map);
}

static void test_cut(void **state)
{
	(void)state;
	for (size_t size = 0; size <= strlen(text); size++) {
		char *cut = malloc(size + 1);	/* exact size, so that sanitizers detect reads beyond it */
		struct perfmap *map;
		const char *name;
		uint64_t delta;

		memcpy(cut, text, size);
		map = perfmap_parse(cut, size, SIZE_MAX);
		free(cut);
		assert_non_null(map);
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			if (perfmap_find(map, places[i].ip, &name, &delta))
				assert_non_null(strstr(text, name));
		}
		perfmap_free(map);
	}
}

/* With any limit, the map stays within it, or is refused. */
static void test_bound(void **state)
{
	static const char lines[] = "0 1000 whole\n100 10 a\n200 10 b\n300 10 c\n";
	struct perfmap *map = perfmap_parse(lines, strlen(lines), SIZE_MAX);
	size_t bytes = perfmap_bytes(map);

	(void)state;
	perfmap_free(map);
	for (size_t max_bytes = 0; max_bytes < 2 * bytes; max_bytes++) {
		map = perfmap_parse(lines, strlen(lines), max_bytes);
		assert_int_equal(map != NULL, max_bytes >= bytes);
		if (!map)
			assert_int_equal(errno, E2BIG);
		perfmap_free(map);
	}
}

/* Whether an address has had another name since a byte of the map. */
static const struct {
	const char *text;
	uint64_t ip;
	const char *since;	/* the map from the line that changed it; NULL: no change */
} changes[] = {
	{ "1000 10 a\n", 0x1008, NULL },
	{ "1000 10 a\n1000 10 b\n", 0x1008, "1000 10 b\n" },
	{ "1000 10 a\n1000 10 a\n", 0x1008, NULL },
	/* A name that returns is another change. */
	{ "1000 10 a\n1000 10 b\n1000 10 a\n", 0x1008, "1000 10 a\n" },
	/* A repeated name is no change. */
	{ "1000 10 a\n1000 10 b\n1000 11 b\n", 0x1008, "1000 10 b\n1000 11 b\n" },
	{ "1000 10 a\n1000 10 b\n1000 8 b\n1008 8 c\n", 0x1004, "1000 10 b\n1000 8 b\n1008 8 c\n" },
	{ "1000 10 a\n1000 10 b\n1000 8 b\n1008 8 c\n", 0x100c, "1008 8 c\n" },
	/* Only where the two overlap. */
	{ "1000 10 a\n1010 10 b\n", 0x1018, NULL },
	{ "1000 20 a\n1010 10 b\n", 0x1008, NULL },
	{ "1000 20 a\n1010 10 b\n", 0x1018, "1010 10 b\n" },
	/* After the end of the shorter line there was no other name; this counts as a change nevertheless. */
	{ "1000 8 a\n1000 10 b\n", 0x100c, "1000 10 b\n" },
	{ "1000 8 a\n1000 10 b\n", 0x1004, "1000 10 b\n" },
	{ "1000 10 a\n", 0x2000, NULL },
};

static void test_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const char *whole = changes[i].text;
		size_t size = strlen(whole), since = 0;
		struct perfmap *map = perfmap_parse(whole, size, SIZE_MAX);

		assert_non_null(map);
		if (changes[i].since)
			since = size - strlen(changes[i].since);
		for (size_t old = 0; old <= size; old++) {
			if (perfmap_has_changed(map, changes[i].ip, old) != (since && old <= since))
				fail_msg("%zu: of byte %zu", i, old);
		}
		perfmap_free(map);
	}
}

#define NR_SAME 40

/* Of many overlapping lines not all are checked: then the address counts as changed. */
static void test_many_upon_each_other(void **state)
{
	char lines[NR_SAME * 16 + 32];
	size_t size = sprintf(lines, "1000 10 a\n");
	struct perfmap *map;

	(void)state;
	for (int i = 0; i < NR_SAME; i++)
		size += sprintf(lines + size, "1000 10 b\n");
	map = perfmap_parse(lines, size, SIZE_MAX);
	assert_true(perfmap_has_changed(map, 0x1008, 0));
	assert_true(perfmap_has_changed(map, 0x1008, 10));
	assert_false(perfmap_has_changed(map, 0x1008, size));
	perfmap_free(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_many_under_one),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_many_upon_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
