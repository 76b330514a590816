// SPDX-License-Identifier: GPL-2.0-only
/* The maps of processes in the course of time: what an address was called in an interval. */
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
	/* Looked for again when the tables were read. */
	assert_true(has_none(maps, getpid(), 0x1000));
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x1000, "first"));
	write_map(own_path, "2000 10 second\n", "a");
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	/* What was read is kept. */
	unlink(own_path);
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x2000, "second"));
	perfmaps_free(maps);
}

/* Code that took the place of other code since the tables were read last: samples may be of either. */
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
	/* In an interval that began later there is no doubt. */
	next_interval(maps);
	assert_true(finds(maps, getpid(), 0x1000, "other"));
	perfmaps_free(maps);
}

/* Written between the swap of the tables and the reading of the map: the next interval has samples of before, too. */
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

/* What was written before the session began is in order; what was not, and is read for the first time, may be new. */
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

	/* As long ago as clocks that tick can tell from now. */
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	maps = perfmaps_new(NULL);
	assert_true(finds(maps, pid, 0x1000, "other"));
	perfmaps_free(maps);
	unlink(path);
	end_child(pid);
}

/* A map that is made anew has no order: what it says now and said before have to agree. */
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
	/* Another file in its place. */
	next_interval(maps);
	unlink(own_path);
	write_map(own_path, "3000 10 third\n", "w");
	assert_true(is_unsure(maps, getpid(), 0x3000));
	perfmaps_free(maps);
}

/* The names of a process that is gone are kept while somebody asks. */
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
	/* But not for ever, if nobody asks. */
	for (int i = 0; i < 4; i++)
		next_interval(maps);
	assert_false(finds(maps, pid, 0x1000, "child"));
	perfmaps_free(maps);
}

/* What was written just before the end is read, once more, and what others write after it is not. */
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

/* A map that is removed, or replaced by a stranger's, before it was read is read nevertheless. */
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

/* Written after the process had ended, by whoever has its number now. */
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

/* A process becomes another program, whose map is not that of the one before. */
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

/* Names that come after their samples were read. */
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
