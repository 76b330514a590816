/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of what a command writes while nobody can see it: as much as anybody reads is kept. A process of its own
 * reads, so that the command never waits, and neither it nor what it started is ended by SIGPIPE when tprof has ended.
 *
 *	tail_open -> the command has tail.theirs -> tail_begin ... tail_take -> tail_write -> tail_close, behind its end
 */
#ifndef TPROF_TAIL_H
#define TPROF_TAIL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define TAIL_BYTES (1u << 20)	/* some 10,000 lines, which is more than most terminals keep */

/* Shared with the process that reads. */
struct tail_ring {
	pthread_mutex_t lock;	/* of what follows */
	bool is_taken;		/* what still comes goes nowhere, and bytes are left alone */
	uint64_t nr;		/* how many bytes came */
	char bytes[TAIL_BYTES];	/* the last of them */
};

struct tail {
	int theirs;		/* the end of the pipe that is written to, until tail_begin() */
	int ours;
	struct tail_ring *ring;
};

#define TAIL_NONE { .theirs = -1, .ours = -1 }

/* Each returns 0 or -errno. */
int tail_open(struct tail *tail);
int tail_begin(struct tail *tail);	/* the command was forked */

/* What was written until now is what is kept. Returns how many bytes of it are lost. */
uint64_t tail_take(struct tail *tail);
int tail_write(const struct tail *tail, int fd);	/* taken */

void tail_close(struct tail *tail);

#endif
