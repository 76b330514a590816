/* SPDX-License-Identifier: GPL-2.0-only */
/* Context switches to be measured: two processes hand a byte to each other through pipes, on one CPU. */
#ifndef TPROF_BENCH_SWITCHES_H
#define TPROF_BENCH_SWITCHES_H

#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define ROUNDS		4000		/* two switches each */
#define WARM_ROUNDS	400

static inline void hand_over(int from, int to)
{
	char byte = 0;

	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		fail("a pipe does not work");
}

/* The partner answers until the pipe is closed. It calls @prepare first, if that is not NULL. */
static inline pid_t start_partner(const int *there, const int *back, void (*prepare)(void))
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	if (prepare)
		prepare();
	close(there[1]);
	while (read(there[0], &byte, 1) == 1)
		if (write(back[1], &byte, 1) != 1)
			break;
	_exit(0);
}

/* Returns the instructions of a switch. */
static inline double switches_measure(void (*prepare_partner)(void))
{
	int there[2], back[2], status;
	uint64_t begin = 0;
	pid_t partner;
	char byte = 0;

	if (pipe(there) || pipe(back))
		fail("no pipe");
	partner = start_partner(there, back, prepare_partner);
	if (partner < 0 || write(there[1], &byte, 1) != 1)
		fail("no partner");
	for (int i = 0; i < WARM_ROUNDS + ROUNDS; i++) {
		if (i == WARM_ROUNDS)
			begin = now_ns();
		hand_over(back[0], there[1]);
	}
	begin = now_ns() - begin;
	close(there[1]);
	waitpid(partner, &status, 0);
	close(there[0]);
	close(back[0]);
	close(back[1]);
	return (double)begin / ROUNDS / 2;
}

#endif
