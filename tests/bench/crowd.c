// SPDX-License-Identifier: GPL-2.0-only
/*
 * crowd N: forks to N processes in a process group, prints the PID of each, its own first, and sleeps until it is
 * killed. The processes share a small address space, so that many fit into a small machine.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK_BYTES	1024	/* enough to wait */

static int wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused != NULL;
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	char *stacks = aligned_alloc(STACK_BYTES, nr * STACK_BYTES);

	if (!stacks)
		return EXIT_FAILURE;
	setpgid(0, 0);
	signal(SIGCHLD, SIG_IGN);
	printf("%d\n", getpid());
	for (size_t i = 1; i < nr; i++) {
		pid_t pid = clone(wait_for_ever, stacks + i * STACK_BYTES,
				  CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL);

		if (pid < 0)
			return EXIT_FAILURE;
		printf("%d\n", pid);
	}
	fclose(stdout);
	return wait_for_ever(NULL);
}
