/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Termination signals: SIGINT, SIGTERM and, unless it was ignored at startup, SIGHUP. The first signal makes ending.fd
 * readable, so that the command can stop and print its results. Another signal, at least one second later, terminates
 * the process at once, whatever it is blocked on: a reader that does not read, a stopped terminal, a server.
 */
#ifndef TPROF_ENDING_H
#define TPROF_ENDING_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct ending {
	int fd;			/* eventfd: readable after the first signal */
	sigset_t signals;
	pthread_t thread;	/* waits for the signals */
	atomic_bool is_closing;
};

#define ENDING_NONE { .fd = -1 }

/* Blocks the signals, and starts the thread that waits for them. 0 or -errno. */
int ending_open(struct ending *ending);
/*
 * ending_pause() stops the thread, and signals stay pending until ending_resume() starts another. ending_resume()
 * returns 0 or -errno; after an error, signals are not handled.
 */
void ending_pause(struct ending *ending);
int ending_resume(struct ending *ending);
/* Stops the thread. The signals stay blocked. */
void ending_close(struct ending *ending);

/* Sets a function that is called, in the signal thread, before immediate termination. NULL: none. */
void ending_prepare(void (*prepare)(void));

#endif
