// SPDX-License-Identifier: GPL-2.0-only
/* Text: tables with a bucket in their key are histograms. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "filter/bucket.h"
#include "profile/profile.h"

static char text[8192];

/* The number of calls of calloc() until it fails; 0: it does not. */
static unsigned int calls_left;

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	return calls_left && !--calls_left ? NULL : __real_calloc(nr, size);
}

static struct tprof_profile *profile_with_table(void)
{
	const struct tprof_info info = { .sz = sizeof(info), .engine = "perf", .event = "off-cpu", .unit = "ns" };
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	assert_int_equal(profile_add_table(profile, "waits"), 0);
	return profile;
}

static void add(struct tprof_profile *profile, enum value_kind kind, const char *series, uint64_t number,
		uint64_t samples)
{
	struct tprof_cell cell = {
		.name = "latency", .type = kind == VALUE_LOG2_NS ? TPROF_CELL_LOG2_TIME : TPROF_CELL_LINEAR,
		.number = number, .object = "", .bytes = "12345678", .size = 8,
	};
	struct bucket bucket = { 0 };
	char range[BUCKET_TEXT], key[256];
	struct tprof_row row = { .key = key, .series = series, .samples = samples, .weight = 1000 - samples };

	if (bucket_of(kind, number, &bucket))
		bucket_text(range, kind, &bucket);
	else
		snprintf(range, sizeof(range), "%llu", (unsigned long long)number);
	cell.from = bucket.from;
	cell.to = bucket.to;
	cell.text = range;
	snprintf(key, sizeof(key), "latency=%s %s", range, series);
	assert_int_equal(profile_add_row(profile, 0, &row, &cell, 1), 0);
}

/* Frees the profile. */
static void export_text_to(struct tprof_profile *profile, int fd, size_t limit)
{
	TPROF_OPTS(tprof_export_opts, opts, .tables = true, .limit = limit);

	profile_finish(profile);
	assert_int_equal(tprof_profile__export(profile, "text", fd, &opts), 0);
	tprof_profile__free(profile);
}

/* Reads to the end, and returns the text behind the name of the table. A terminal delivers its text in parts. */
static const char *table_of(int fd)
{
	const char *table;
	size_t length = 0;
	ssize_t more;

	while ((more = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)more;
	text[length] = '\0';
	table = strstr(text, "\nwaits");
	assert_non_null(table);
	return table + strlen("\nwaits");
}

static const char *file_text(struct tprof_profile *profile, size_t limit)
{
	int fd = memfd_create("text", 0);
	const char *table;

	assert_true(fd >= 0);
	export_text_to(profile, fd, limit);
	lseek(fd, 0, SEEK_SET);
	table = table_of(fd);
	close(fd);
	return table;
}

static const char *terminal_text(struct tprof_profile *profile, unsigned short columns)
{
	struct winsize size = { .ws_row = 24, .ws_col = columns };
	struct termios modes;
	int master, slave;
	const char *table;

	assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
	assert_int_equal(tcgetattr(slave, &modes), 0);
	modes.c_oflag &= ~(tcflag_t)OPOST;
	assert_int_equal(tcsetattr(slave, TCSANOW, &modes), 0);
	export_text_to(profile, slave, 0);
	close(slave);
	table = table_of(master);
	close(master);
	return table;
}

static struct tprof_profile *one_histogram(void)
{
	struct tprof_profile *profile = profile_with_table();

	add(profile, VALUE_LOG2_NS, "", 15, 25);
	add(profile, VALUE_LOG2_NS, "", 11, 50);
	add(profile, VALUE_LOG2_NS, "", 12, 1);
	add(profile, VALUE_LOG2_NS, "", 14, 24);
	return profile;
}

/* In the order of the buckets, with the empty ones between them. */
static void without_terminal(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C");
	assert_string_equal(file_text(one_histogram(), 0),
		" (1 histogram)\n"
		"range             samples    share\n"
		"[1.02us, 2.05us)       50   50.00% |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"[2.05us, 4.1us)         1    1.00% |                                           |\n"
		"[4.1us, 8.19us)         0    0.00% |                                           |\n"
		"[8.19us, 16.4us)       24   24.00% |@@@@@@@@@@@@@@@@@@@@                       |\n"
		"[16.4us, 32.8us)       25   25.00% |@@@@@@@@@@@@@@@@@@@@@                      |\n");
}

static void with_block_characters(void **state)
{
	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		skip();
	assert_string_equal(terminal_text(one_histogram(), 50),
		" (1 histogram)\n"
		"range             samples    share\n"
		"[1.02us, 2.05us)       50   50.00% |█████████████|\n"
		"[2.05us, 4.1us)         1    1.00% |▎            |\n"
		"[4.1us, 8.19us)         0    0.00% |             |\n"
		"[8.19us, 16.4us)       24   24.00% |██████▎      |\n"
		"[16.4us, 32.8us)       25   25.00% |██████▌      |\n");
	setlocale(LC_CTYPE, "C");
}

/* The bars end at the last column of the terminal. In a narrow one, there is none. */
static void on_a_terminal(void **state)
{
	(void)state;
	assert_string_equal(terminal_text(one_histogram(), 50),
		" (1 histogram)\n"
		"range             samples    share\n"
		"[1.02us, 2.05us)       50   50.00% |@@@@@@@@@@@@@|\n"
		"[2.05us, 4.1us)         1    1.00% |             |\n"
		"[4.1us, 8.19us)         0    0.00% |             |\n"
		"[8.19us, 16.4us)       24   24.00% |@@@@@@       |\n"
		"[16.4us, 32.8us)       25   25.00% |@@@@@@       |\n");
	assert_string_equal(strstr(terminal_text(one_histogram(), 44), "\n[16.4us"),
		"\n[16.4us, 32.8us)       25   25.00%\n");
	assert_non_null(strstr(terminal_text(one_histogram(), 45), "50.00% |@@@@@@@@|\n"));
}

/* Those with the most samples come first. The weight of rows is against their samples, and decides nothing. */
static void several_histograms(void **state)
{
	struct tprof_profile *profile = profile_with_table();

	(void)state;
	add(profile, VALUE_LOG2_NS, "tgid=a (1)", 1, 3);
	add(profile, VALUE_LOG2_NS, "tgid=b (2)", 0, 2);
	add(profile, VALUE_LOG2_NS, "tgid=b (2)", 1, 2);
	add(profile, VALUE_LOG2_NS, "tgid=c (3)", 64, 1);
	add(profile, VALUE_LOG2_NS, "tgid=b (2)", 77, 1);
	assert_string_equal(file_text(profile, 2),
		" (3 histograms)\n"
		"\n"
		"tgid=b (2)\n"
		"range  samples    share\n"
		"[0ns]        2   40.00% |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"[1ns]        2   40.00% |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"77           1   20.00% |@@@@@@@@@@@@@@@@@@@@@@@@@@@                           |\n"
		"\n"
		"tgid=a (1)\n"
		"range  samples    share\n"
		"[1ns]        3  100.00% |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"\n"
		"# and 1 more\n");
}

static uint64_t linear(uint64_t from, uint64_t to)
{
	return to << 32 | from;
}

/* Empty steps have the size of the others. Without another, or of far too many, there is one line. */
static void linear_steps(void **state)
{
	struct tprof_profile *profile = profile_with_table();
	const char *table;

	(void)state;
	add(profile, VALUE_LINEAR, "", linear(0, 5), 1);
	add(profile, VALUE_LINEAR, "", linear(15, 25), 4);
	add(profile, VALUE_LINEAR, "", linear(45, 48), 1);
	add(profile, VALUE_LINEAR, "", linear(100000, 0), 2);
	table = file_text(profile, 0);
	assert_non_null(strstr(table, "\n[0, 5) "));
	assert_non_null(strstr(table, "\n[5, 15)              0    0.00% | "));
	assert_non_null(strstr(table, "\n[25, 35)             0 "));
	assert_non_null(strstr(table, "\n[35, 45)             0 "));
	assert_non_null(strstr(table, "\n[45, 48)             1   12.50% |@"));
	assert_non_null(strstr(table, "\n[48, 100000)         0 "));
	assert_non_null(strstr(table, "\n[100000, ...)        2   25.00% |@"));
	profile = profile_with_table();
	add(profile, VALUE_LINEAR, "", linear(0, 5), 1);
	add(profile, VALUE_LINEAR, "", linear(30, 0), 1);
	table = file_text(profile, 0);
	assert_non_null(strstr(table, "\n[5, 30)          0 "));
}

/* Profiles of different filters were merged, whose tables have one name. */
static void other_rows(void **state)
{
	const struct tprof_row row = { .key = "other", .samples = 1, .weight = 1 };
	struct tprof_profile *profile = one_histogram();
	const char *table;

	(void)state;
	assert_int_equal(profile_add_row(profile, 0, &row, NULL, 0), 0);
	table = file_text(profile, 0);
	assert_non_null(strstr(table, " (5 keys)\n"));
	assert_non_null(strstr(table, "  latency=[1.02us, 2.05us) \n"));
	assert_non_null(strstr(table, "  other\n"));
}

/* Each allocation fails in turn. */
static void without_memory(void **state)
{
	TPROF_OPTS(tprof_export_opts, opts, .tables = true);
	struct tprof_profile *profile = one_histogram();
	int fd = memfd_create("text", 0), err;
	unsigned int nr_failed = 0;

	(void)state;
	assert_true(fd >= 0);
	profile_finish(profile);
	do {
		calls_left = nr_failed + 1;
		err = tprof_profile__export(profile, "text", fd, &opts);
		nr_failed += err == -ENOMEM;
	} while (err == -ENOMEM);
	calls_left = 0;
	assert_int_equal(err, 0);
	assert_int_equal(nr_failed, 2);
	tprof_profile__free(profile);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_terminal),
		cmocka_unit_test(with_block_characters),
		cmocka_unit_test(on_a_terminal),
		cmocka_unit_test(several_histograms),
		cmocka_unit_test(linear_steps),
		cmocka_unit_test(other_rows),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
