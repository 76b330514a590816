// SPDX-License-Identifier: GPL-2.0-only
/*
 * took FILE COMMAND [ARGUMENT...]: runs a command; after its end, writes to FILE the CPU time of the command and its
 * children, in user mode and in the kernel, in nanoseconds. FILE.pid has the PID of the command while it runs. Forwards
 * signals that end programs, and exits like the command.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t child;

static void hand_on(int signal_number)
{
	if (child > 0)
		kill(child, signal_number);
}

static unsigned long long nanoseconds(const struct timeval *time)
{
	return (unsigned long long)time->tv_sec * 1000000000 + (unsigned long long)time->tv_usec * 1000;
}

static void write_number(const char *file, const char *suffix, unsigned long long number)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s%s", file, suffix);
	out = fopen(path, "w");
	if (!out || fprintf(out, "%llu\n", number) < 0 || fclose(out)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: took FILE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	child = fork();
	if (!child) {
		/* Shells start background commands with SIGINT ignored. */
		signal(SIGINT, SIG_DFL);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	write_number(argv[1], ".pid", (unsigned long long)child);
	signal(SIGINT, hand_on);
	signal(SIGTERM, hand_on);
	while (wait4(child, &status, 0, &usage) != child) {
		if (errno != EINTR)
			return EXIT_FAILURE;
	}
	write_number(argv[1], "", nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
