/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that a sampling subcommand waits for, on one epoll descriptor: the session, which is dispatched during the
 * wait, signals, the launched command, the keyboard, and timers.
 */
#ifndef TPROF_WATCH_H
#define TPROF_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ending.h"
#include "tprof.h"

/* Events, which may be combined. */
enum watch_event {
	WATCH_TICK = 1 << 0,		/* an interval is over */
	WATCH_KEY = 1 << 1,		/* stdin is readable */
	WATCH_RESIZE = 1 << 2,		/* SIGWINCH */
	WATCH_SIGNAL = 1 << 3,		/* SIGINT, SIGTERM or SIGHUP: stop, and print the results */
	WATCH_COMMAND = 1 << 4,		/* the launched command has exited */
	WATCH_DEADLINE = 1 << 5,	/* the duration is over */
	WATCH_GONE = 1 << 6,		/* all targets have exited, and there is no command */
	WATCH_END = WATCH_SIGNAL | WATCH_COMMAND | WATCH_DEADLINE | WATCH_GONE,
};

struct watch {
	struct tprof_session *session;
	struct tprof_counters *counters;
	bool command;		/* there is a command; WATCH_COMMAND reports its exit */
	bool signalled;		/* WATCH_SIGNAL has occurred */
	struct ending ending;
	int epoll;
	int resize;		/* signalfd for SIGWINCH */
	int tick;
	int deadline;
};

#define WATCH_NONE { .ending = ENDING_NONE, .epoll = -1, .resize = -1, .tick = -1, .deadline = -1 }

/*
 * Starts handling signals, see ending.h. Call it before anything that a signal must not interrupt; the first signal
 * stays pending until watch_wait(). 0, or the exit code after reporting an error.
 */
int watch_open(struct watch *watch);
void watch_close(struct watch *watch);

/* Each adds one source of events. 0 or -errno. */
int watch_session(struct watch *watch, struct tprof_session *session);	/* must be started */
int watch_counters(struct watch *watch, struct tprof_counters *counters);	/* the end of their targets */
int watch_command(struct watch *watch, int pidfd);
int watch_keyboard(struct watch *watch);		/* stdin; a regular file is ignored, a hangup is WATCH_SIGNAL */
int watch_interval(struct watch *watch, uint64_t ns);			/* a second call changes it */
int watch_duration(struct watch *watch, uint64_t ns);			/* starts now; 0: none */

/* Waits for events; returns them (enum watch_event), or -errno. */
int watch_wait(struct watch *watch);

#endif
