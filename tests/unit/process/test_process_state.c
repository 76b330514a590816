// SPDX-License-Identifier: GPL-2.0-only
/* Reads processes from /proc that change while they are read. */
#include <libgen.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "process/process_state.h"

/* The name of the n-th program, of which each is executed once. */
#define NAME "program%d"
/* A read is interrupted by execve(2) about once in 30. */
#define READS 10000
/* The programs that have to be seen, so that there were reads during execve(2). */
#define PROGRAMS_MIN 50

/* Executes itself by another name, again and again. The program has two arguments: its directory and its number. */
static int execute_next(const char *dir, int number)
{
	char previous[PATH_MAX], self[PATH_MAX], next[PATH_MAX], argument[16];

	snprintf(previous, sizeof(previous), "%s/" NAME, dir, number - 1);
	snprintf(self, sizeof(self), "%s/" NAME, dir, number);
	snprintf(next, sizeof(next), "%s/" NAME, dir, number + 1);
	snprintf(argument, sizeof(argument), "%d", number + 1);
	unlink(previous);
	if (link(self, next) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return EXIT_FAILURE;
	execl(next, next, dir, argument, NULL);
	return EXIT_FAILURE;
}

/* Copies the file of this program to @to. */
static void copy_program(const char *to)
{
	FILE *in = fopen("/proc/self/exe", "r"), *out = fopen(to, "w");
	char buffer[65536];
	size_t size;

	assert_true(in && out);
	while ((size = fread(buffer, 1, sizeof(buffer), in)))
		assert_int_equal(fwrite(buffer, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	fclose(in);
	assert_int_equal(chmod(to, 0700), 0);
}

/* The number of the program whose file is mapped; -1: none */
static int mapped_program(const struct process_state *state)
{
	const struct mapping *mapping = NULL;

	while ((mapping = mappings_next(state->mappings, mapping))) {
		char path[PATH_MAX];
		int number;

		snprintf(path, sizeof(path), "%s", dso_path(mapping->dso));
		if (sscanf(basename(path), NAME, &number) == 1)
			return number;
	}
	return -1;
}

/* The name and the mappings of a process that executes programs are always those of the same program. */
static void test_exec_during_read(void **state)
{
	char dir[] = "/tmp/tprof-test-XXXXXX", first[PATH_MAX], remove[PATH_MAX];
	int status, last = -1, nr_programs = 0;
	struct mappings_pool pool = { 0 };
	struct dsos *dsos = dsos_new(NULL);
	struct proc_text text = { 0 };
	pid_t pid;

	(void)state;
	assert_non_null(dsos);
	assert_non_null(mkdtemp(dir));
	snprintf(first, sizeof(first), "%s/" NAME, dir, 0);
	copy_program(first);
	pid = fork();
	if (!pid)
		_exit(execl(first, first, dir, "0", NULL));
	for (int i = 0; i < READS || (nr_programs < PROGRAMS_MIN && i < 100 * READS); i++) {
		struct process_state read;
		int mapped, named;

		assert_int_equal(process_read(&read, &pool, dsos, pid, 0, &text), 0);
		assert_false(read.dead);
		mapped = mapped_program(&read);
		if (sscanf(read.comm, NAME, &named) == 1 && mapped >= 0) {
			assert_int_equal(named, mapped);
			nr_programs += named != last;
			last = named;
		}
		mappings_put(&pool, read.mappings);
	}
	assert_true(nr_programs >= PROGRAMS_MIN);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	snprintf(remove, sizeof(remove), "rm -r %s", dir);
	assert_int_equal(system(remove), 0);
	proc_text_fini(&text);
	dsos_free(dsos);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec_during_read),
	};

	if (argc == 3)
		return execute_next(argv[1], atoi(argv[2]));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
