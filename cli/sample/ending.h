/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SIGINT, SIGTERM and, if it was not ignored from the start, SIGHUP. The first is told: who waits for it ends, and
 * prints what there is. Another one, as much later as it takes to lose patience, ends the process at once, whatever it
 * waits for: a reader that does not read, a terminal that was stopped, a server.
 */
#ifndef TPROF_ENDING_H
#define TPROF_ENDING_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ending {
	int fd;			/* an eventfd: readable when the first has come */
	sigset_t signals;
	pthread_t thread;	/* takes them */
	atomic_bool is_closing;
};

#define ENDING_NONE { .fd = -1 }

/* Blocks the signals, and begins to take them. 0 or -errno. */
int ending_open(struct ending *ending);
/*
 * Meanwhile there is no thread; a signal that comes waits for the next one. ending_resume(): 0 or -errno, and then the
 * signals are not taken any more.
 */
void ending_pause(struct ending *ending);
int ending_resume(struct ending *ending);
/* They stay blocked. */
void ending_close(struct ending *ending);

/* What is done, in another thread, before the process is ended at once. NULL: nothing. */
void ending_prepare(void (*prepare)(void));

#endif
