// SPDX-License-Identifier: GPL-2.0-only
/* Which perf-PID.map files are accepted, the messages about refused ones, and the limits of their size. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "perfmaps_fixture.h"
#include "symbol/perfmap.h"
#include "symbol/perfmap_file.h"

/* Less than the library allows, so that files in the tests can be smaller. */
#define MAX_BYTES (16UL << 20)

struct said {
	char message[256];
	int nr;
};

static void keep_message(void *ctx, enum tprof_log_level level, const char *message)
{
	struct said *said = ctx;

	assert_int_equal(level, TPROF_LOG_WARN);
	snprintf(said->message, sizeof(said->message), "%s", message);
	said->nr++;
}

/* The map is refused, and the reason is reported once, not in each interval; @why NULL: no message. */
static void expect_refusal(pid_t pid, int number, const char *why)
{
	struct said said = { 0 };
	struct log log = { keep_message, &said };
	struct perfmaps *maps = perfmaps_new(&log);
	char message[256] = "";

	perfmaps_set_max_bytes(maps, MAX_BYTES);
	perfmaps_meet(maps, pid);
	for (int i = 0; i < 3; i++) {
		assert_false(finds(maps, pid, 0x1000, "first"));
		next_interval(maps);
	}
	if (why)
		snprintf(message, sizeof(message), "perf-%d.map: not read: %s", number, why);
	assert_string_equal(said.message, message);
	assert_int_equal(said.nr, why ? 1 : 0);
	perfmaps_free(maps);
}

static void expect_unbelieved(const char *why)
{
	expect_refusal(getpid(), getpid(), why);
}

static void test_unbelievable(void **state)
{
	struct timespec old[2] = { { .tv_sec = time(NULL) - 86400 }, { .tv_sec = time(NULL) - 86400 } };
	struct perfmaps *maps;
	char link_target[80];

	(void)state;
	snprintf(link_target, sizeof(link_target), "%s.target", own_path);
	/* A map of an earlier process with this PID. */
	write_map(own_path, "1000 10 first\n", "w");
	assert_int_equal(utimensat(AT_FDCWD, own_path, old, 0), 0);
	expect_unbelieved("it is older than the process, so it may belong to another process");
	write_map(own_path, "1000 10 first\n", "w");
	maps = perfmaps_new(NULL);
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	perfmaps_free(maps);
	unlink(own_path);

	assert_int_equal(mkfifo(own_path, 0600), 0);
	expect_unbelieved("it is not a regular file");
	unlink(own_path);
	assert_int_equal(mkdir(own_path, 0700), 0);
	expect_unbelieved("it is not a regular file");
	rmdir(own_path);
	/* A file that the process may not be permitted to read. */
	write_map(link_target, "1000 10 first\n", "w");
	assert_int_equal(symlink(link_target, own_path), 0);
	expect_unbelieved("it is not a regular file");
	unlink(own_path);
	unlink(link_target);
	expect_unbelieved(NULL);

	if (geteuid())
		return;
	write_map(own_path, "1000 10 first\n", "w");
	assert_int_equal(chown(own_path, 65534, 65534), 0);
	expect_unbelieved("it belongs to user 65534, and the process to user 0");
}

/* Nanoseconds of a time that the owner of a file can choose do not fit into 64 bits. */
static void test_far_future(void **state)
{
	struct timespec far[2] = { { .tv_sec = 15032385535 }, { .tv_sec = 15032385535 } };
	struct perfmaps *maps = perfmaps_new(NULL);
	struct stat st;

	(void)state;
	write_map(own_path, "1000 10 first\n", "w");
	assert_int_equal(utimensat(AT_FDCWD, own_path, far, 0), 0);
	assert_int_equal(stat(own_path, &st), 0);
	assert_true(st.st_mtim.tv_sec > INT64_MAX / 1000000000);
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	perfmaps_free(maps);
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

/* One file with the names of all maps, slightly larger than a quarter of the limit. */
static size_t write_large_map(void)
{
	unsigned int nr = MAX_BYTES / 4 / 32;
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
		/* An earlier process with this number may have left a map. */
		unlink(path);
		assert_int_equal(link(own_path, path), 0);
	}
	return bytes;
}

/* A map that does not fit beside other maps is not read until those are gone, and is not tried again at each age. */
static void test_limit_of_all_maps(void **state)
{
	struct said said = { 0 };
	struct log log = { keep_message, &said };
	struct perfmaps *maps = perfmaps_new(&log);
	size_t bytes = write_large_map(), nr_named;

	(void)state;
	perfmaps_set_max_bytes(maps, MAX_BYTES);
	for (int age = 0; age < 2; age++) {
		nr_named = 0;
		for (int i = 0; i < NR_CHILDREN; i++)
			nr_named += finds(maps, children[i], 0x10, "f");
		assert_int_equal(nr_named, MAX_BYTES / bytes);
		assert_int_equal(said.nr, NR_CHILDREN - nr_named);
		next_interval(maps);
	}
	for (int age = 0; age < 4; age++) {
		finds(maps, children[NR_CHILDREN - 1], 0x10, "f");
		next_interval(maps);
	}
	assert_non_null(strstr(said.message, ".map: not read: all maps together would take more than 16 MiB"));
	/* If the reading that was given up took long, on a slow machine, the next one waits. */
	for (int tries = 0; tries < 1000 && !finds(maps, children[NR_CHILDREN - 1], 0x10, "f"); tries++) {
		usleep(10000);
		next_interval(maps);
	}
	assert_true(finds(maps, children[NR_CHILDREN - 1], 0x10, "f"));
	perfmaps_free(maps);
}

/* A map that has become too large may have new names for known code. */
static void test_outgrown(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	perfmaps_set_max_bytes(maps, MAX_BYTES);
	write_map(own_path, "1000 10 first\n", "w");
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	assert_int_equal(truncate(own_path, MAX_BYTES / 2 + 1), 0);
	next_interval(maps);
	assert_false(finds(maps, getpid(), 0x1000, "first"));
	perfmaps_free(maps);
}

/*
 * Starts the first process of a PID namespace, with its own /tmp and a map there that is too large; -1: no permission.
 */
static pid_t start_container(void)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid) {
		/* A failing test does not end this child, so it ends with its parent. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("none", "/tmp", "tmpfs", 0, NULL) &&
		    close(creat("/tmp/perf-1.map", 0600)) == 0 &&
		    !truncate("/tmp/perf-1.map", MAX_BYTES / 2 + 1) && write(ready[1], "", 1) == 1)
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

#define TOO_LARGE "it has 8 MiB, and the limit is 8 MiB"

/* A message has the name of the file that was found, in the container or outside. */
static void test_container(void **state)
{
	pid_t pid = start_container();
	char inside[64], here[64];

	(void)state;
	if (pid < 0)
		skip();
	expect_refusal(pid, 1, TOO_LARGE);

	snprintf(inside, sizeof(inside), "/proc/%d/root/tmp/perf-1.map", pid);
	snprintf(here, sizeof(here), "/tmp/perf-%d.map", pid);
	assert_int_equal(unlink(inside), 0);
	write_map(here, "", "w");
	assert_int_equal(truncate(here, MAX_BYTES / 2 + 1), 0);
	expect_refusal(pid, pid, TOO_LARGE);

	unlink(here);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}


/* The mount namespace with its /tmp was destroyed before the map was read. */
static void test_container_gone(void **state)
{
	pid_t pid = start_container();
	struct perfmaps *maps;
	char inside[64];

	(void)state;
	if (pid < 0)
		skip();
	maps = perfmaps_new(NULL);
	perfmaps_meet(maps, pid);
	snprintf(inside, sizeof(inside), "/proc/%d/root/tmp/perf-1.map", pid);
	assert_int_equal(unlink(inside), 0);
	write_map(inside, "1000 10 contained\n", "w");
	end_child(pid);
	assert_true(finds(maps, pid, 0x1000, "contained"));
	perfmaps_free(maps);
}

static void test_max_bytes(void **state)
{
	(void)state;
	assert_int_equal(perfmap_max_bytes_of(""), 128UL << 20);
	assert_int_equal(perfmap_max_bytes_of("MemFree: 1 kB\nMemAvailable:    100000 kB\n"), 128UL << 20);
	assert_int_equal(perfmap_max_bytes_of("MemAvailable:   4194304 kB\n"), 512UL << 20);
	assert_int_equal(perfmap_max_bytes_of("MemAvailable: 419430400 kB\n"), 1UL << 30);
	assert_int_equal(perfmap_max_bytes_of("MemAvailable: 99999999999999999999 kB\n"), 1UL << 30);
	assert_in_range(perfmap_max_bytes(), 128UL << 20, 1UL << 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unbelievable, name_own_map, remove_own_map),
		cmocka_unit_test_setup_teardown(test_far_future, name_own_map, remove_own_map),
		cmocka_unit_test_setup_teardown(test_limit_of_all_maps, start_children, end_children),
		cmocka_unit_test_setup_teardown(test_outgrown, name_own_map, remove_own_map),
		cmocka_unit_test(test_container),
		cmocka_unit_test(test_container_gone),
		cmocka_unit_test(test_max_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
