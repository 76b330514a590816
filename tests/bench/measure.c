// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command and writes its costs to a file, as one line of numbers:
 *
 *	START_NS WALL_NS CPU_US RSS_KIB
 *
 * START_NS is CLOCK_MONOTONIC, the clock of sample timestamps, right before exec. CPU time includes children, user mode
 * and kernel. RSS is the largest of any process.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t microseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	uint64_t start_ns, wall_ns;
	int status;
	FILE *out;
	pid_t pid;

	if (argc < 3) {
		fputs("usage: measure FILE COMMAND [argument ...]\n", stderr);
		return 2;
	}
	start_ns = now_ns();
	pid = vfork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return EXIT_FAILURE;
	wall_ns = now_ns() - start_ns;
	out = fopen(argv[1], "w");
	if (!out)
		return EXIT_FAILURE;
	fprintf(out, "%llu %llu %llu %ld\n", (unsigned long long)start_ns, (unsigned long long)wall_ns,
		(unsigned long long)(microseconds(&usage.ru_utime) + microseconds(&usage.ru_stime)), usage.ru_maxrss);
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
