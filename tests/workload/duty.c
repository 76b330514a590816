// SPDX-License-Identifier: GPL-2.0-only
/*
 * Alternates between work and sleep on one CPU, so that the CPU is idle in between: duty CPU WORK_MS SLEEP_MS SECONDS.
 * Prints its CPU time, and the part of it in which the virtual CPU was stopped without the knowledge of the kernel (the
 * excess of steps of that clock over one millisecond), in nanoseconds.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct timespec pause = { 0 };
	double work, end, still = 0;
	cpu_set_t cpus;

	if (argc != 5) {
		fprintf(stderr, "usage: duty CPU WORK_MS SLEEP_MS SECONDS\n");
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("duty");
		return 1;
	}
	work = atof(argv[2]) / 1e3;
	pause.tv_nsec = (long)(atof(argv[3]) * 1e6);
	end = now(CLOCK_MONOTONIC) + atof(argv[4]);
	while (now(CLOCK_MONOTONIC) < end) {
		double until = now(CLOCK_MONOTONIC) + work, at = now(CLOCK_PROCESS_CPUTIME_ID);

		while (now(CLOCK_MONOTONIC) < until) {
			double before = at;

			at = now(CLOCK_PROCESS_CPUTIME_ID);
			still += at - before > 1e-3 ? at - before - 1e-3 : 0;
		}
		nanosleep(&pause, NULL);
	}
	printf("%.0f %.0f\n", now(CLOCK_PROCESS_CPUTIME_ID) * 1e9, still * 1e9);
	return 0;
}
