// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that sleep until this one ends: sleepers COUNT. Prints a line when all of them exist.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns in the child. */
static void start(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 100;
	pid_t self = getpid();

	for (int i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("sleepers: fork");
			return EXIT_FAILURE;
		}
		if (!pid)
			start(self);
	}
	printf("%d\n", nr);
	fflush(stdout);
	for (;;)
		pause();
}
