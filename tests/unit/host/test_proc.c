// SPDX-License-Identifier: GPL-2.0-only
/* Parsers of /proc files, with tables of unusual names and invalid lines. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/proc.h"

static const struct {
	const char *line;
	int more;
	struct proc_map map;
} map_lines[] = {
	{ "55d0a0e00000-55d0a0e02000 r-xp 00002000 fe:01 1234567                    /usr/bin/true\n", 1,
	  { 0x55d0a0e00000, 0x55d0a0e02000, 0x2000, 0xfe, 1, 1234567, true, "/usr/bin/true" } },
	{ "55d0a0e02000-55d0a0e03000 r--p 00004000 fe:01 1234567                    /usr/bin/true\n", 1,
	  { 0x55d0a0e02000, 0x55d0a0e03000, 0x4000, 0xfe, 1, 1234567, false, "/usr/bin/true" } },
	{ "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n", 1,
	  { 0x7f0000000000, 0x7f0000001000, 0, 0, 0, 0, true, "" } },
	{ "7f0000000000-7f0000001000 r-xp 00000000 00:00 0\n", 1,
	  { 0x7f0000000000, 0x7f0000001000, 0, 0, 0, 0, true, "" } },
	{ "7ffc1e5f9000-7ffc1e5fb000 r-xp 00000000 00:00 0                          [vdso]\n", 1,
	  { 0x7ffc1e5f9000, 0x7ffc1e5fb000, 0, 0, 0, 0, true, "[vdso]" } },
	{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n", 1,
	  { 0xffffffffff600000, 0xffffffffff601000, 0, 0, 0, 0, true, "[vsyscall]" } },
	{ "400000-401000 r-xs 7fffffff000 103:0a 18446744073709551615 /opt/a b  c/d (deleted)\n", 1,
	  { 0x400000, 0x401000, 0x7fffffff000, 0x103, 0xa, UINT64_MAX, true, "/opt/a b  c/d (deleted)" } },
	{ "400000-401000 r-xp 00000000 08:01 7 /tmp/two\\012lines\\012\n", 1,
	  { 0x400000, 0x401000, 0, 8, 1, 7, true, "/tmp/two\nlines\n" } },
	{ "400000-401000 r-xp 00000000 08:01 7 /tmp/back\\slash\\01", 1,
	  { 0x400000, 0x401000, 0, 8, 1, 7, true, "/tmp/back\\slash\\01" } },
	{ "\n", -EINVAL, { 0 } },
	{ "400000\n", -EINVAL, { 0 } },
	{ "400000-\n", -EINVAL, { 0 } },
	{ "400000-401000\n", -EINVAL, { 0 } },
	{ "400000-401000 r-x", -EINVAL, { 0 } },
	{ "400000-401000 r-xp", -EINVAL, { 0 } },
	{ "400000-401000 r-xp 0 08:01", -EINVAL, { 0 } },
	{ "400000-401000 r-xp 0 08:01 x", -EINVAL, { 0 } },
	{ "400000-400000 r-xp 0 08:01 7 /empty", -EINVAL, { 0 } },
	{ "401000-400000 r-xp 0 08:01 7 /backwards", -EINVAL, { 0 } },
	{ "00000000000400000-401000 r-xp 0 08:01 7 /too-many-digits", -EINVAL, { 0 } },
	{ "400000-401000 r-xp 0 100000000:01 7 /large-device", -EINVAL, { 0 } },
	{ "", 0, { 0 } },
};

static void test_map_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(map_lines) / sizeof(map_lines[0]); i++) {
		const struct proc_map *want = &map_lines[i].map;
		char *text = strdup(map_lines[i].line), *at = text;
		struct proc_map map;

		assert_int_equal(proc_parse_map(&at, &map), map_lines[i].more);
		if (map_lines[i].more == 1) {
			assert_int_equal(map.start, want->start);
			assert_int_equal(map.end, want->end);
			assert_int_equal(map.pgoff, want->pgoff);
			assert_int_equal(map.maj, want->maj);
			assert_int_equal(map.min, want->min);
			assert_true(map.ino == want->ino);
			assert_int_equal(map.executable, want->executable);
			assert_string_equal(map.path, want->path);
		}
		/* One line was consumed in any case; then the text ends. */
		assert_int_equal(proc_parse_map(&at, &map), 0);
		free(text);
	}
}

static void test_maps_go_on_after_a_bad_line(void **state)
{
	char text[] = "400000-401000 r-xp 0 08:01 7 /a\nnonsense\n500000-501000 r-xp 0 08:01 8 /b\n";
	char *at = text;
	struct proc_map a, b, end;

	(void)state;
	assert_int_equal(proc_parse_map(&at, &a), 1);
	assert_int_equal(proc_parse_map(&at, &b), -EINVAL);
	assert_int_equal(proc_parse_map(&at, &b), 1);
	assert_int_equal(proc_parse_map(&at, &end), 0);
	assert_string_equal(a.path, "/a");
	assert_string_equal(b.path, "/b");
}

#define STAT_TAIL " S 41 42 42 0 -1 2097216 1 2 3 4 5 6 7 8 20 0 3 0 987654 1000 10 18446744073709551615"

static void test_stat_names(void **state)
{
	static const struct {
		const char *text, *comm;
	} names[] = {
		{ "42 (cat)" STAT_TAIL, "cat" },
		{ "42 (a) S 1 (b)" STAT_TAIL, "a) S 1 (b" },
		{ "42 (two words)" STAT_TAIL, "two words" },
		{ "42 (two\nlines)" STAT_TAIL, "two\nlines" },
		{ "42 ())" STAT_TAIL, ")" },
		{ "42 ()" STAT_TAIL, "" },
		{ "42 (kworker/0:1-events)" STAT_TAIL, "kworker/0:1" },
	};
	struct proc_stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(proc_parse_stat(names[i].text, &stat), 0);
		assert_string_equal(stat.comm, names[i].comm);
		assert_int_equal(stat.state, 'S');
		assert_int_equal(stat.ppid, 41);
		assert_true(stat.flags & PROC_PF_KTHREAD);
		assert_int_equal(stat.nr_threads, 3);
		assert_int_equal(stat.start_time, 987654);
	}
}

static void test_stat_refused(void **state)
{
	static const char *const texts[] = {
		"", "42", "42 (", "42 )(", "42 (cat)", "42 (cat) S 41", "42 (cat) S x",
	};
	struct proc_stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(proc_parse_stat(texts[i], &stat), -EINVAL);
}

static void test_stat_is_dead(void **state)
{
	(void)state;
	assert_true(proc_stat_is_dead(&(struct proc_stat){ .state = 'Z', .nr_threads = 1 }));
	assert_true(proc_stat_is_dead(&(struct proc_stat){ .state = 'X' }));
	assert_false(proc_stat_is_dead(&(struct proc_stat){ .state = 'Z', .nr_threads = 2 }));
	assert_false(proc_stat_is_dead(&(struct proc_stat){ .state = 'R', .nr_threads = 1 }));
}

static void test_status(void **state)
{
	struct proc_status status;

	(void)state;
	assert_int_equal(proc_parse_status("Name:\tPid: 7\\nPid:\t8\nTgid:\t100\nPid:\t101\nPPid:\t1\n"
					   "Uid:\t0\t1000\t0\t0\nNStgid:\t100\t10\t1\nNSpid:\t101\t11\t2\n"
					   "Threads:\t4\n", &status), 0);
	assert_int_equal(status.tgid, 100);
	assert_int_equal(status.pid, 101);
	assert_int_equal(status.ppid, 1);
	assert_int_equal(status.euid, 1000);
	assert_int_equal(status.ns_tgid, 1);
	assert_int_equal(status.ns_pid, 2);
	assert_int_equal(status.nr_threads, 4);
	assert_int_equal(proc_parse_status("Tgid:\t100\nPid:\t101", &status), 0);
	assert_int_equal(status.ns_pid, 101);
	assert_int_equal(proc_parse_status("", &status), -EINVAL);
	assert_int_equal(proc_parse_status("Name:\tcat\nPid:\t1\n", &status), -EINVAL);
}

static void test_comm(void **state)
{
	static const struct {
		const char *text, *comm;
	} names[] = {
		{ "cat\n", "cat" },
		{ "two\nlines\n", "two\nlines" },
		{ "\n\n", "\n" },
		{ "\n", "" },
		{ "", "" },
		{ "(sd-pam)\n", "(sd-pam)" },
		{ "kworker/u4:2-events_unbound\n", "kworker/u4:2" },
		{ "kworker/0:1H+kblockd\n", "kworker/0:1H" },
		{ "kworker/R-rcu_gp\n", "kworker/R-rcu_gp" },
		{ "0123456789012345678901234567890123456789012345678901234567890123456789\n",
		  "012345678901234567890123456789012345678901234567890123456789012" },
	};
	char comm[PROC_COMM_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		proc_parse_comm(names[i].text, comm);
		assert_string_equal(comm, names[i].comm);
	}
}

static int find_self(void *ctx, pid_t tgid)
{
	(*(int *)ctx)++;
	return tgid == getpid() ? 1 : 0;
}

static void test_read(void **state)
{
	struct proc_text text = { 0 };
	struct proc_status status;
	struct proc_stat stat;
	struct proc_map map;
	int nr = 0, nr_executable = 0;
	char *at;

	(void)state;
	assert_int_equal(proc_read(&text, "%d/stat", getpid()), 0);
	assert_int_equal(proc_parse_stat(text.text, &stat), 0);
	assert_int_equal(stat.ppid, getppid());
	assert_int_equal(proc_read(&text, "self/status"), 0);
	assert_int_equal(proc_parse_status(text.text, &status), 0);
	assert_int_equal(status.tgid, getpid());
	assert_int_equal(proc_read(&text, "self/maps"), 0);
	at = text.text;
	while ((nr = proc_parse_map(&at, &map))) {
		assert_int_equal(nr, 1);
		nr_executable += map.executable;
	}
	assert_true(nr_executable >= 3);
	assert_int_equal(proc_read(&text, "5000000/comm"), -ENOENT);
	proc_text_fini(&text);
	assert_int_equal(proc_each_process(find_self, &nr), 1);
	assert_true(nr > 0);
}

static void test_oldest(void **state)
{
	static const pid_t tgids[] = { 1, 20, 300, 4000 };

	(void)state;
	assert_int_equal(proc_parse_last("0.10 0.08 0.09 2/345 4001\n"), 4001);
	assert_int_equal(proc_parse_last(""), 0);
	assert_int_equal(proc_oldest(tgids, 4, 4001), 0);
	/* Numbers have begun anew: 1 and 20 are younger than 300. */
	assert_int_equal(proc_oldest(tgids, 4, 20), 2);
	assert_int_equal(proc_oldest(tgids, 4, 299), 2);
	assert_int_equal(proc_oldest(tgids, 4, 300), 3);
	assert_int_equal(proc_oldest(tgids, 4, 0), 0);
	assert_int_equal(proc_oldest(tgids, 0, 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map_lines),
		cmocka_unit_test(test_maps_go_on_after_a_bad_line),
		cmocka_unit_test(test_stat_names),
		cmocka_unit_test(test_stat_refused),
		cmocka_unit_test(test_stat_is_dead),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_oldest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
