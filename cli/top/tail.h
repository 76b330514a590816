/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the last bytes of a command's output while the live view hides it. A separate process reads the pipe, so that
 * the command never blocks, and neither the command nor its children are killed by SIGPIPE after tprof has exited.
 *
 *	tail_open -> give tail.theirs to the command -> tail_begin ... tail_take -> tail_write -> tail_close
 */
#ifndef TPROF_TAIL_H
#define TPROF_TAIL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define TAIL_BYTES (1u << 20)	/* some 10,000 lines, more than most terminals keep */

/* Shared with the process that reads the pipe. */
struct tail_ring {
	pthread_mutex_t lock;	/* protects the fields below */
	bool is_taken;		/* further input is discarded, and bytes stays unchanged */
	uint64_t nr;		/* total number of bytes read */
	char bytes[TAIL_BYTES];	/* ring of the last bytes */
};

struct tail {
	int theirs;		/* write end of the pipe; closed by tail_begin() */
	int ours;		/* read end of the pipe */
	struct tail_ring *ring;
};

#define TAIL_NONE { .theirs = -1, .ours = -1 }

/* Creates the pipe and the ring. 0 or -errno. */
int tail_open(struct tail *tail);
/* Starts the reading process. Call it after forking the command. 0 or -errno. */
int tail_begin(struct tail *tail);

/* Freezes the ring with the output so far. Returns how many earlier bytes were dropped. */
uint64_t tail_take(struct tail *tail);
/* Writes the frozen output to @fd. 0 or -errno. */
int tail_write(const struct tail *tail, int fd);

void tail_close(struct tail *tail);

#endif
