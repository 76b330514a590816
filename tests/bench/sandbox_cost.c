// SPDX-License-Identifier: GPL-2.0-only
/*
 * sandbox_cost ROUNDS: prints the duration of tprof_session__sandbox() in nanoseconds, a line for each round. A process
 * can enter the sandbox only once, so each round is a child.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tprof.h"
#include "tprof_sandbox.h"

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

/* In the sandbox, a child cannot open its output, but it is open already. */
static int run(void)
{
	struct tprof_session *session = tprof_session__open(NULL, NULL);
	struct tprof_filter *filter = tprof_filter__open("top", NULL);
	double start;

	if (!session || !filter || tprof_session__add_filter(session, filter) || tprof_session__prepare(session))
		return EXIT_FAILURE;
	start = now_ns();
	if (tprof_session__sandbox(session, NULL))
		return EXIT_FAILURE;
	printf("%.0f\n", now_ns() - start);
	fflush(stdout);
	tprof_session__close(session);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	int status = 0;

	while (rounds-- > 0 && !status) {
		pid_t child = fork();

		if (!child)
			_exit(run());
		if (child < 0 || waitpid(child, &status, 0) != child)
			return EXIT_FAILURE;
	}
	return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
