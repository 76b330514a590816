// SPDX-License-Identifier: GPL-2.0-only
/* perf-PID.map: its lines, and whose file is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include <errno.h>

#include "perfmap.h"

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

/* Of random overlaps the last line wins, byte for byte. */
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

/* Under a line that covers all others: to look at them one by one, for each address, takes longer than a test may. */
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
		char *cut = malloc(size + 1);	/* exact, so that a sanitizer sees a step beyond */
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

static void write_map(const char *path, const char *lines, const char *mode)
{
	FILE *file = fopen(path, mode);

	assert_non_null(file);
	fputs(lines, file);
	assert_int_equal(fclose(file), 0);
}

static char own_path[64];

static int remove_own_map(void **state)
{
	(void)state;
	unlink(own_path);
	return 0;
}

static int name_own_map(void **state)
{
	snprintf(own_path, sizeof(own_path), "/tmp/perf-%d.map", getpid());
	return remove_own_map(state);
}

static bool finds(struct perfmaps *maps, pid_t pid, uint64_t ip, const char *expected)
{
	const char *name;
	uint64_t delta;

	return perfmaps_find(maps, pid, ip, &name, &delta) && !strcmp(name, expected);
}

static void test_file(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	assert_false(finds(maps, getpid(), 0x1000, "first"));
	write_map(own_path, "1000 10 first\n", "w");
	/* Looked for again when the tables were read. */
	assert_false(finds(maps, getpid(), 0x1000, "first"));
	perfmaps_age(maps);
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	write_map(own_path, "2000 10 second\n", "a");
	perfmaps_age(maps);
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	/* What was read is kept. */
	unlink(own_path);
	perfmaps_age(maps);
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	/* But not for ever, if nobody asks. */
	for (int i = 0; i < 4; i++)
		perfmaps_age(maps);
	assert_false(finds(maps, getpid(), 0x2000, "second"));
	perfmaps_free(maps);
}

/* What is asked for now was compiled since the tables were read last. */
static void test_written_meanwhile(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	write_map(own_path, "1000 10 first\n", "w");
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	perfmaps_age(maps);
	write_map(own_path, "2000 10 second\n1000 10 other\n", "a");
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	assert_true(finds(maps, getpid(), 0x1000, "other"));
	perfmaps_free(maps);
}

static void expect_unbelieved(const char *what)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	if (finds(maps, getpid(), 0x1000, "first"))
		fail_msg("believed: %s", what);
	perfmaps_free(maps);
}

static void test_unbelievable(void **state)
{
	struct timespec old[2] = { { .tv_sec = time(NULL) - 86400 }, { .tv_sec = time(NULL) - 86400 } };
	struct perfmaps *maps;

	(void)state;
	/* What an earlier process of that number left. */
	write_map(own_path, "1000 10 first\n", "w");
	assert_int_equal(utimensat(AT_FDCWD, own_path, old, 0), 0);
	expect_unbelieved("older than the process");
	write_map(own_path, "1000 10 first\n", "w");
	maps = perfmaps_new(NULL);
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	perfmaps_free(maps);
	unlink(own_path);

	assert_int_equal(mkfifo(own_path, 0600), 0);
	expect_unbelieved("a pipe");
	unlink(own_path);
	assert_int_equal(mkdir(own_path, 0700), 0);
	expect_unbelieved("a directory");
	rmdir(own_path);

	if (geteuid())
		return;
	write_map(own_path, "1000 10 first\n", "w");
	assert_int_equal(chown(own_path, 65534, 65534), 0);
	expect_unbelieved("another user's");
}

/* The names of a process that is gone are kept while somebody asks. */
static void test_exit(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);
	char path[64];
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	write_map(path, "1000 10 child\n", "w");
	assert_true(finds(maps, pid, 0x1000, "child"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
	for (int i = 0; i < 5; i++) {
		assert_true(finds(maps, pid, 0x1000, "child"));
		perfmaps_age(maps);
	}
	perfmaps_free(maps);
}

/* However it is cut: within its bound, or not at all. */
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

#define NR_CHILDREN 8

static pid_t children[NR_CHILDREN];

static void child_path(int child, char path[64])
{
	snprintf(path, 64, "/tmp/perf-%d.map", children[child]);
}

static int start_children(void **state)
{
	(void)state;
	for (int i = 0; i < NR_CHILDREN; i++) {
		children[i] = fork();
		if (!children[i]) {
			pause();
			_exit(0);
		}
	}
	return name_own_map(state);
}

static int end_children(void **state)
{
	char path[64];

	for (int i = 0; i < NR_CHILDREN; i++) {
		child_path(i, path);
		unlink(path);
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	return remove_own_map(state);
}

/* One file under the names of all: a quarter of what there is room for, and a bit. */
static size_t write_large_map(void)
{
	unsigned int nr = PERFMAPS_MAX_BYTES / 4 / 32;
	char *lines = malloc(nr * 20 + 1), path[64];
	struct perfmap *map;
	size_t size = 0, bytes;

	assert_non_null(lines);
	for (unsigned int i = 0; i < nr; i++)
		size += sprintf(lines + size, "%x 8 f\n", i * 16);
	write_map(own_path, lines, "w");
	map = perfmap_parse(lines, size, SIZE_MAX);
	bytes = perfmap_bytes(map);
	perfmap_free(map);
	free(lines);
	for (int i = 0; i < NR_CHILDREN; i++) {
		child_path(i, path);
		assert_int_equal(link(own_path, path), 0);
	}
	return bytes;
}

static void count_refusals(void *ctx, enum tprof_log_level level, const char *message)
{
	(void)level;
	if (strstr(message, "not read: all maps together"))
		++*(int *)ctx;
}

/* What does not fit beside the maps of others is not read, once and not at each age, until they are gone. */
static void test_room(void **state)
{
	int nr_named = 0, nr_refused = 0;
	struct log log = { count_refusals, &nr_refused };
	struct perfmaps *maps = perfmaps_new(&log);
	size_t bytes = write_large_map();

	(void)state;
	for (int age = 0; age < 2; age++) {
		nr_named = 0;
		for (int i = 0; i < NR_CHILDREN; i++)
			nr_named += finds(maps, children[i], 0x10, "f");
		assert_int_equal(nr_named, PERFMAPS_MAX_BYTES / bytes);
		assert_int_equal(nr_refused, NR_CHILDREN - nr_named);
		perfmaps_age(maps);
	}
	for (int age = 0; age < 4; age++) {
		finds(maps, children[NR_CHILDREN - 1], 0x10, "f");
		perfmaps_age(maps);
	}
	assert_true(finds(maps, children[NR_CHILDREN - 1], 0x10, "f"));
	perfmaps_free(maps);
}

/* A map that has become too large may say something else of the code that it had. */
static void test_outgrown(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	write_map(own_path, "1000 10 first\n", "w");
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	assert_int_equal(truncate(own_path, PERFMAPS_MAX_BYTES + 1L), 0);
	perfmaps_age(maps);
	assert_false(finds(maps, getpid(), 0x1000, "first"));
	perfmaps_free(maps);
}

/* The first process of a pid namespace, with a /tmp of its own and a map there that is too large; -1: not allowed. */
static pid_t start_container(void)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		/* A test that fails does not end it. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("none", "/tmp", "tmpfs", 0, NULL) &&
		    close(creat("/tmp/perf-1.map", 0600)) == 0 &&
		    !truncate("/tmp/perf-1.map", PERFMAPS_MAX_BYTES + 1L) && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static void keep_message(void *ctx, enum tprof_log_level level, const char *message)
{
	(void)level;
	snprintf(ctx, 128, "%s", message);
}

static void expect_refusal(pid_t pid, const char *message)
{
	char said[128] = "";
	struct log log = { keep_message, said };
	struct perfmaps *maps = perfmaps_new(&log);

	assert_false(finds(maps, pid, 0x1000, "any"));
	assert_string_equal(said, message);
	perfmaps_free(maps);
}

/* The name in a message is that of the file that was found: in the container, or here. */
static void test_container(void **state)
{
	pid_t pid = start_container();
	char inside[64], here[64], message[96];

	(void)state;
	if (pid < 0)
		skip();
	expect_refusal(pid, "perf-1.map: not read: File too large");

	snprintf(inside, sizeof(inside), "/proc/%d/root/tmp/perf-1.map", pid);
	snprintf(here, sizeof(here), "/tmp/perf-%d.map", pid);
	snprintf(message, sizeof(message), "perf-%d.map: not read: File too large", pid);
	assert_int_equal(unlink(inside), 0);
	write_map(here, "", "w");
	assert_int_equal(truncate(here, PERFMAPS_MAX_BYTES + 1L), 0);
	expect_refusal(pid, message);

	unlink(here);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_many_under_one),
		cmocka_unit_test(test_cut),
		cmocka_unit_test_setup_teardown(test_file, name_own_map, remove_own_map),
		cmocka_unit_test_setup_teardown(test_written_meanwhile, name_own_map, remove_own_map),
		cmocka_unit_test_setup_teardown(test_unbelievable, name_own_map, remove_own_map),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_bound),
		cmocka_unit_test_setup_teardown(test_room, start_children, end_children),
		cmocka_unit_test_setup_teardown(test_outgrown, name_own_map, remove_own_map),
		cmocka_unit_test(test_container),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
