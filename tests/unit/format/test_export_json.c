// SPDX-License-Identifier: GPL-2.0-only
/* JSON: the members of the keys and values of tables, by type. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/profile.h"

#define KEY(member, kind, value, words)								\
	{ .name = member, .type = TPROF_CELL_##kind, .number = value, .text = words, .object = "",	\
	  .bytes = "12345678", .size = 8 }

/* Returns the rows of a table with one row; the caller drops the reference. */
static json_t *rows_of(const struct tprof_row *row, const struct tprof_cell *cells, size_t nr_cells)
{
	const struct tprof_info info = { .sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns" };
	TPROF_OPTS(tprof_export_opts, opts, .tables = true);
	struct tprof_profile *profile = profile_new();
	int fd = memfd_create("json", 0);
	char text[8192] = "";
	json_t *object, *rows;

	assert_true(profile && fd >= 0);
	assert_int_equal(profile_set_info(profile, &info), 0);
	assert_int_equal(profile_add_table(profile, "t"), 0);
	assert_int_equal(profile_add_row(profile, 0, row, cells, nr_cells), 0);
	profile_finish(profile);
	assert_int_equal(tprof_profile__export(profile, "json", fd, &opts), 0);
	tprof_profile__free(profile);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	close(fd);
	object = json_loads(text, 0, NULL);
	assert_non_null(object);
	rows = json_incref(json_object_get(json_array_get(json_object_get(object, "tables"), 0), "rows"));
	json_decref(object);
	return rows;
}

/* The members of a row are equal to this JSON. */
static void expect(const struct tprof_row *row, const struct tprof_cell *cells, size_t nr_cells, const char *wanted)
{
	json_t *rows = rows_of(row, cells, nr_cells), *members = json_loads(wanted, 0, NULL);
	json_t *got = json_object_get(json_array_get(rows, 0), "members");

	assert_non_null(members);
	if (!json_equal(got, members))
		fail_msg("%s: wanted %s", json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY), wanted);
	assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "key")), row->key);
	json_decref(members);
	json_decref(rows);
}

static void each_type(void **state)
{
	struct tprof_cell cells[] = {
		KEY("u", UNSIGNED, 7, "7"),
		KEY("large", UNSIGNED, UINT64_MAX, "18446744073709551615"),
		KEY("s", SIGNED, (uint64_t)-3, "-3"),
		KEY("c", TEXT, 0, "abc"),
		KEY("b", BYTES, 0, "0102"),
		KEY("ip", ADDRESS, 0xffffffff81000000, "hot"),
		KEY("stack", STACK, 99, "main;hot"),
		KEY("group", CGROUP, 1, "/"),
		KEY("t", TIME, 5, "0.000000005"),
		KEY("p", PROCESS, 8, "spin (8)"),
		KEY("tid", THREAD, 9, "spin (9)"),
		KEY("cpu", CPU, 0, "0"),
		KEY("f", FLAGS, 1, "user"),
	};
	const struct tprof_row row = { .key = "k", .samples = 1, .weight = 1 };

	(void)state;
	cells[5].object = "[kernel]";
	expect(&row, cells, sizeof(cells) / sizeof(cells[0]),
	       "[{\"name\":\"u\",\"of\":\"key\",\"type\":\"unsigned\",\"number\":7,\"text\":\"7\"},"
	       "{\"name\":\"large\",\"of\":\"key\",\"type\":\"unsigned\",\"text\":\"18446744073709551615\"},"
	       "{\"name\":\"s\",\"of\":\"key\",\"type\":\"signed\",\"number\":-3,\"text\":\"-3\"},"
	       "{\"name\":\"c\",\"of\":\"key\",\"type\":\"text\",\"text\":\"abc\"},"
	       "{\"name\":\"b\",\"of\":\"key\",\"type\":\"bytes\",\"text\":\"0102\"},"
	       "{\"name\":\"ip\",\"of\":\"key\",\"type\":\"address\",\"address\":\"0xffffffff81000000\","
	       "\"symbol\":\"hot\",\"object\":\"[kernel]\"},"
	       "{\"name\":\"stack\",\"of\":\"key\",\"type\":\"stack\",\"text\":\"main;hot\"},"
	       "{\"name\":\"group\",\"of\":\"key\",\"type\":\"cgroup\",\"number\":1,\"text\":\"/\"},"
	       "{\"name\":\"t\",\"of\":\"key\",\"type\":\"time\",\"number\":5,\"text\":\"0.000000005\"},"
	       "{\"name\":\"p\",\"of\":\"key\",\"type\":\"process\",\"number\":8,\"text\":\"spin (8)\"},"
	       "{\"name\":\"tid\",\"of\":\"key\",\"type\":\"thread\",\"number\":9,\"text\":\"spin (9)\"},"
	       "{\"name\":\"cpu\",\"of\":\"key\",\"type\":\"cpu\",\"number\":0,\"text\":\"0\"},"
	       "{\"name\":\"f\",\"of\":\"key\",\"type\":\"flags\",\"number\":1,\"text\":\"user\"}]");
}

/* Buckets have their bounds, as far as they are JSON integers. */
static void buckets(void **state)
{
	struct tprof_cell cells[] = {
		KEY("n", LOG2, 11, "[1K, 2K)"),
		KEY("t", LOG2_TIME, 0, "[0ns]"),
		KEY("half", LOG2, 63, "[4E, 8E)"),
		KEY("last", LOG2, 64, "[8E, 16E)"),
		KEY("none", LOG2, 65, "65"),
		KEY("l", LINEAR, 10ULL << 32 | 5, "[5, 10)"),
		KEY("end", LINEAR, 100, "[100, ...)"),
	};
	const struct tprof_row row = { .key = "k", .samples = 1, .weight = 1, .series = "" };
	static const uint64_t bounds[][2] = {
		{ 1024, 2048 }, { 0, 1 }, { 1ULL << 62, 1ULL << 63 }, { 1ULL << 63, UINT64_MAX }, { 0, 0 }, { 5, 10 },
		{ 100, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		cells[i].from = bounds[i][0];
		cells[i].to = bounds[i][1];
	}
	expect(&row, cells, sizeof(cells) / sizeof(cells[0]),
	       "[{\"name\":\"n\",\"of\":\"key\",\"type\":\"log2\",\"number\":11,\"from\":1024,\"to\":2048,"
	       "\"text\":\"[1K, 2K)\"},"
	       "{\"name\":\"t\",\"of\":\"key\",\"type\":\"log2_time\",\"number\":0,\"from\":0,\"to\":1,"
	       "\"text\":\"[0ns]\"},"
	       "{\"name\":\"half\",\"of\":\"key\",\"type\":\"log2\",\"number\":63,\"from\":4611686018427387904,"
	       "\"text\":\"[4E, 8E)\"},"
	       "{\"name\":\"last\",\"of\":\"key\",\"type\":\"log2\",\"number\":64,\"text\":\"[8E, 16E)\"},"
	       "{\"name\":\"none\",\"of\":\"key\",\"type\":\"log2\",\"number\":65,\"text\":\"65\"},"
	       "{\"name\":\"l\",\"of\":\"key\",\"type\":\"linear\",\"from\":5,\"to\":10,\"text\":\"[5, 10)\"},"
	       "{\"name\":\"end\",\"of\":\"key\",\"type\":\"linear\",\"from\":100,\"text\":\"[100, ...)\"}]");
}

/* The value of a plain counting table is samples and weight; an integer of 128 bits is text. */
static void values(void **state)
{
	struct tprof_cell cells[] = { KEY("", CPU, 3, "3"), KEY("n", UNSIGNED, 0, "0x1234") };
	struct tprof_row row = { .key = "3", .samples = 2, .weight = 20 };

	(void)state;
	cells[1].is_value = true;
	cells[1].bytes = "0123456789abcdef";
	cells[1].size = 16;
	expect(&row, cells, 2, "[{\"name\":\"\",\"of\":\"key\",\"type\":\"cpu\",\"number\":3,\"text\":\"3\"}]");
	row.value = "n=0x1234";
	expect(&row, cells, 2, "[{\"name\":\"\",\"of\":\"key\",\"type\":\"cpu\",\"number\":3,\"text\":\"3\"},"
	       "{\"name\":\"n\",\"of\":\"value\",\"type\":\"unsigned\",\"text\":\"0x1234\"}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type),
		cmocka_unit_test(buckets),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
