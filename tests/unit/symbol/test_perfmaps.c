// SPDX-License-Identifier: GPL-2.0-only
/* Changes of perf maps over time: the name of an address in an interval. */
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "perfmaps_fixture.h"

static void test_file(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	assert_true(has_none(maps, getpid(), 0x1000));
	write_map(own_path, "1000 10 first\n", "w");
	/* The map is searched again after each reading of the tables. */
	assert_true(has_none(maps, getpid(), 0x1000));
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	write_map(own_path, "2000 10 second\n", "a");
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	/* A map that was read is kept. */
	unlink(own_path);
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	perfmaps_free(maps);
}

/* Code was replaced since the last reading of the tables: samples may be from either. */
static void test_written_meanwhile(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	write_map(own_path, "1000 10 first\n", "w");
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	next_interval(maps);
	write_map(own_path, "2000 10 second\n1000 10 other\n", "a");
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	assert_true(is_unsure(maps, getpid(), 0x1000));
	/* In a later interval the name is unambiguous. */
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x1000, "other"));
	perfmaps_free(maps);
}

/* A line is written between the swap of the tables and the read of the map: the next interval has older samples too. */
static void test_written_behind_the_swap(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	write_map(own_path, "1000 10 first\n", "w");
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	next_interval(maps);
	perfmaps_mark(maps);
	write_map(own_path, "1000 10 other\n", "a");
	assert_true(is_unsure(maps, getpid(), 0x1000));
	perfmaps_age(maps);
	assert_true(is_unsure(maps, getpid(), 0x1000));
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x1000, "other"));
	perfmaps_free(maps);
}

/* Lines from before the start of the session are unambiguous; later lines at the first read may be new. */
static void test_first_reading(void **state)
{
	struct perfmaps *maps;
	pid_t pid = start_child();
	char path[64];

	(void)state;
	path_of(pid, path);
	maps = perfmaps_new(NULL);
	write_map(path, "1000 10 first\n1000 10 other\n2000 10 second\n", "w");
	assert_true(is_unsure(maps, pid, 0x1000));
	assert_true(finds(maps, pid, 0x2000, "second"));
	perfmaps_free(maps);

	/* Longer than the resolution of file timestamps. */
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	maps = perfmaps_new(NULL);
	assert_true(finds(maps, pid, 0x1000, "other"));
	perfmaps_free(maps);
	unlink(path);
	end_child(pid);
}

/* A rewritten map has no history: a name is used only if the old and the new map agree. */
static void test_rewritten(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);

	(void)state;
	write_map(own_path, "1000 10 first\n2000 10 second\n3000 10 third\n", "w");
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	next_interval(maps);
	write_map(own_path, "3000 10 other\n2000 10 second\n4000 10 fourth\n", "w");
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	assert_true(finds(maps, getpid(), 0x4000, "fourth"));
	assert_true(is_unsure(maps, getpid(), 0x3000));
	assert_true(has_none(maps, getpid(), 0x1000));
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x3000, "other"));
	/* Another file replaces it. */
	next_interval(maps);
	unlink(own_path);
	write_map(own_path, "3000 10 third\n", "w");
	assert_true(is_unsure(maps, getpid(), 0x3000));
	perfmaps_free(maps);
}

/* The names of an ended process are kept while they are looked up. */
static void test_exit(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);
	pid_t pid = start_child();
	char path[64];

	(void)state;
	path_of(pid, path);
	write_map(path, "1000 10 child\n", "w");
	assert_true(finds(maps, pid, 0x1000, "child"));
	end_child(pid);
	unlink(path);
	for (int i = 0; i < 5; i++) {
		assert_true(finds(maps, pid, 0x1000, "child"));
		next_interval(maps);
	}
	/* Without lookups they are dropped. */
	for (int i = 0; i < 4; i++)
		next_interval(maps);
	assert_false(finds(maps, pid, 0x1000, "child"));
	perfmaps_free(maps);
}

/* Lines from just before the end of the process are read, in one more read; later lines of others are not. */
static void test_last_words(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);
	pid_t pid = start_child();
	const char *name;
	char path[64];

	(void)state;
	path_of(pid, path);
	perfmaps_meet(maps, pid);
	write_map(path, "1000 10 early\n", "w");
	assert_true(finds(maps, pid, 0x1000, "early"));
	next_interval(maps);
	write_map(path, "2000 10 late\n1000 10 in its place\n", "a");
	end_child(pid);
	assert_true(finds(maps, pid, 0x2000, "late"));
	assert_true(is_unsure(maps, pid, 0x1000));
	next_interval(maps);
	write_map(path, "3000 10 another\n", "a");
	assert_true(finds(maps, pid, 0x2000, "late"));
	assert_int_equal(ask(maps, pid, 0x3000, &name), PERFMAPS_OVER);
	unlink(path);
	perfmaps_free(maps);
}

/* A map that is removed, or replaced by a file of another user, before it was read is read nevertheless. */
static void test_removed_at_exit(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);
	pid_t pid = start_child();
	char path[64];

	(void)state;
	path_of(pid, path);
	perfmaps_meet(maps, pid);
	write_map(path, "1000 10 early\n", "w");
	perfmaps_look(maps);
	write_map(path, "2000 10 late\n", "a");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	end_child(pid);
	assert_true(finds(maps, pid, 0x2000, "late"));
	assert_true(finds(maps, pid, 0x1000, "early"));
	unlink(path);
	perfmaps_free(maps);
}

/* A map that was written after the end of the process, by a new process with its PID. */
static void test_too_late(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);
	struct perfmaps_life life = { 0 };
	pid_t pid = start_child();
	const char *name;
	uint64_t delta;
	char path[64];

	(void)state;
	path_of(pid, path);
	perfmaps_meet(maps, pid);
	end_child(pid);
	life.end_ns = clock_now_ns();
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	write_map(path, "1000 10 stranger\n", "w");
	assert_int_equal(perfmaps_find(maps, pid, &life, 0x1000, &name, &delta), PERFMAPS_OVER);
	unlink(path);
	perfmaps_free(maps);
}

/* After an exec, the map of the previous program does not apply. */
static void test_exec(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);
	struct perfmaps_life life = { 0 };
	const char *name;
	uint64_t delta;

	(void)state;
	write_map(own_path, "1000 10 before\n", "w");
	assert_int_equal(perfmaps_find(maps, getpid(), &life, 0x1000, &name, &delta), PERFMAPS_FOUND);
	next_interval(maps);
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	life.exec_ns = clock_now_ns();
	assert_int_equal(perfmaps_find(maps, getpid(), &life, 0x1000, &name, &delta), PERFMAPS_UNSURE);
	next_interval(maps);
	assert_int_equal(perfmaps_find(maps, getpid(), &life, 0x1000, &name, &delta), PERFMAPS_NONE);
	write_map(own_path, "1000 10 after\n", "w");
	next_interval(maps);
	assert_int_equal(perfmaps_find(maps, getpid(), &life, 0x1000, &name, &delta), PERFMAPS_FOUND);
	assert_string_equal(name, "after");
	perfmaps_free(maps);
}

static enum perfmaps_answer ask_late(struct perfmaps *maps, pid_t pid, struct perfmaps_moment *moment, uint64_t ip,
				     const char **name)
{
	const struct perfmaps_life nothing = { 0 };

	return perfmaps_find_late(maps, pid, &nothing, moment, ip, name);
}

/* Names that arrive after their samples were read. */
static void test_late(void **state)
{
	struct perfmaps *maps = perfmaps_new(NULL);
	struct perfmaps_moment moment, several;
	pid_t pid = start_child();
	const char *name;
	char path[64];

	(void)state;
	path_of(pid, path);
	assert_true(has_none(maps, pid, 0x1000));
	moment = several = perfmaps_moment(maps, pid);
	next_interval(maps);
	assert_int_equal(ask_late(maps, pid, &moment, 0x1000, &name), PERFMAPS_NONE);
	next_interval(maps);
	write_map(path, "1000 10 late\n2000 10 one\n2000 10 two\n", "w");
	end_child(pid);
	assert_int_equal(ask_late(maps, pid, &moment, 0x1000, &name), PERFMAPS_FOUND);
	assert_string_equal(name, "late");
	assert_int_equal(ask_late(maps, pid, &several, 0x2000, &name), PERFMAPS_OVER);
	several = moment;
	assert_int_equal(ask_late(maps, pid, &several, 0x3000, &name), PERFMAPS_OVER);
	unlink(path);
	perfmaps_free(maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_file, name_own_map, remove_own_map),
		cmocka_unit_test_setup_teardown(test_written_meanwhile, name_own_map, remove_own_map),
		cmocka_unit_test_setup_teardown(test_written_behind_the_swap, name_own_map, remove_own_map),
		cmocka_unit_test(test_first_reading),
		cmocka_unit_test_setup_teardown(test_rewritten, name_own_map, remove_own_map),
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_last_words),
		cmocka_unit_test(test_removed_at_exit),
		cmocka_unit_test(test_too_late),
		cmocka_unit_test_setup_teardown(test_exec, name_own_map, remove_own_map),
		cmocka_unit_test(test_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
