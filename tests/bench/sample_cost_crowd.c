// SPDX-License-Identifier: GPL-2.0-only
/* Starts and stops the processes of a scope (crowd.c). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample_cost.h"

#define MAX_CROWD	16000
#define POLL_US		10000

/* Raises the limits for the processes, and for a descriptor of each, which the library opens. */
static void raise_limits(void)
{
	const struct rlimit files = { MAX_CROWD * 2, MAX_CROWD * 2 };
	FILE *file = fopen("/proc/sys/kernel/threads-max", "w");

	if (!file || fprintf(file, "%d", MAX_CROWD * 2) < 0 || fclose(file) || setrlimit(RLIMIT_NOFILE, &files))
		fail("the limits for many processes cannot be raised");
}

/* Starts crowd.c; returns its output. */
static FILE *spawn(unsigned int nr)
{
	char text[16];
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		fail("no pipe");
	snprintf(text, sizeof(text), "%u", nr);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl("/bench/crowd", "crowd", text, NULL);
		_exit(EXIT_FAILURE);
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

void crowd_start(struct crowd *crowd, unsigned int nr)
{
	FILE *pids;

	crowd->pids = calloc(nr + 1, sizeof(*crowd->pids));
	if (!crowd->pids)
		fail("no memory");
	crowd->pids[nr] = getpid();
	crowd->nr = nr;
	if (!nr)
		return;
	raise_limits();
	pids = spawn(nr);
	for (unsigned int i = 0; i < nr; i++) {
		if (!pids || fscanf(pids, "%d", &crowd->pids[i]) != 1)
			fail("no crowd of %u", nr);
	}
	fclose(pids);
}

/* The init process reaps the orphans. */
void crowd_stop(struct crowd *crowd)
{
	while (crowd->nr && (kill(-crowd->pids[0], SIGKILL) == 0 || errno != ESRCH)) {
		waitpid(crowd->pids[0], NULL, WNOHANG);
		usleep(POLL_US);
	}
	free(crowd->pids);
	*crowd = (struct crowd){ 0 };
}
