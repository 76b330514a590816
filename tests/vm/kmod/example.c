// SPDX-License-Identifier: GPL-2.0-only
/*
 * The example in tprof(4) prints how busy the machine is, while one CPU is busy.
 *
 * vm: all=arm64
 */
#include <sched.h>
#include <sys/wait.h>

#include "ktap.h"
#include "device.h"

#define main example
#include "../../../examples/device.c"
#undef main

/* Starts a child that spins on CPU 0. */
static pid_t spin(void)
{
	cpu_set_t first;
	int ends[2];
	pid_t pid;
	char byte = 0;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	need(pipe(ends) == 0, "a pipe is made");
	pid = fork();
	if (!pid) {
		sched_setaffinity(0, sizeof(first), &first);
		if (write(ends[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			;
	}
	need(read(ends[0], &byte, 1) == 1, "a process spins");
	return pid;
}

/* Starts the example and returns its output. */
static FILE *start_example(pid_t *pid)
{
	int ends[2];

	need(pipe(ends) == 0, "a pipe is made");
	*pid = fork();
	if (!*pid) {
		dup2(ends[1], STDOUT_FILENO);
		exit(example());
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

int main(void)
{
	pid_t spinner = spin(), pid;
	double share = 100.0 / sysconf(_SC_NPROCESSORS_ONLN), busy = 0;
	unsigned long long samples = 0;
	FILE *said = start_example(&pid);
	int status;

	is(fscanf(said, "%llu samples; busy for %lf %%", &samples, &busy), 2, "it says two numbers");
	need(waitpid(pid, &status, 0) == pid, "it ends");
	is(status, 0, "it ends in order");
	kill(spinner, SIGKILL);
	waitpid(spinner, NULL, 0);
	check(samples > 0, "%llu samples", samples);
	/* This CPU is never idle. CPUs start and stop one after the other, so one tenth may be missing. */
	check(busy > 0.9 * share && busy <= 100, "the machine is busy for a CPU's share at least");
	diag("%.1f %% of %.1f %%", busy, share);
	return done_testing();
}
