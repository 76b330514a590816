/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a sampling subcommand waits for, on one epoll descriptor: the session, which is served on the way,
 * signals, the launched command, the keyboard, and time.
 */
#ifndef TPROF_WATCH_H
#define TPROF_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ending.h"
#include "tprof.h"

/* What happened; several at a time. */
enum watch_event {
	WATCH_TICK = 1 << 0,		/* another interval is over */
	WATCH_KEY = 1 << 1,		/* there is something to read on stdin */
	WATCH_RESIZE = 1 << 2,		/* SIGWINCH */
	WATCH_SIGNAL = 1 << 3,		/* SIGINT, SIGTERM or SIGHUP: end, and print what there is */
	WATCH_COMMAND = 1 << 4,		/* the launched command has ended */
	WATCH_DEADLINE = 1 << 5,	/* the duration is over */
	WATCH_GONE = 1 << 6,		/* all that is sampled has ended, and there is no command */
	WATCH_END = WATCH_SIGNAL | WATCH_COMMAND | WATCH_DEADLINE | WATCH_GONE,
};

struct watch {
	struct tprof_session *session;
	bool command;		/* the end of which is told by WATCH_COMMAND */
	bool signalled;		/* WATCH_SIGNAL was among what happened */
	struct ending ending;
	int epoll;
	int resize;		/* a signalfd */
	int tick;
	int deadline;
};

#define WATCH_NONE { .ending = ENDING_NONE, .epoll = -1, .resize = -1, .tick = -1, .deadline = -1 }

/*
 * Takes the signals, as ending.h says: call it before anything that must not be torn. The first waits until
 * watch_wait(). 0, or the exit code after having said why.
 */
int watch_open(struct watch *watch);
void watch_close(struct watch *watch);

/* Each adds one thing to wait for. 0 or -errno. */
int watch_session(struct watch *watch, struct tprof_session *session);	/* started */
int watch_command(struct watch *watch, int pidfd);
int watch_keyboard(struct watch *watch);		/* stdin; a file is no error, and its end is WATCH_SIGNAL */
int watch_interval(struct watch *watch, uint64_t ns);			/* again: changes it */
int watch_duration(struct watch *watch, uint64_t ns);			/* from now on; 0: none */

/* Waits; returns what happened (enum watch_event), or -errno. */
int watch_wait(struct watch *watch);

/* CLOCK_MONOTONIC, by which all of this goes. */
uint64_t watch_now_ns(void);

#endif
