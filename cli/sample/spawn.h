/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command behind `--`: forked first, so that its pid can be sampled, and executed when the session runs,
 * so that nothing of it is missed.
 *
 *	spawn_prepare -> tprof_session__add_pid(session, spawn.pid) -> start -> spawn_go -> ... -> spawn_end
 */
#ifndef TPROF_SPAWN_H
#define TPROF_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	pid_t pid;		/* 0: none */
	int pidfd;		/* readable when the command has ended; -1: none */
	int gate;		/* a byte written here lets it execute */
	int report;		/* errno of a failed exec comes from here */
	const char *name;
	int code;		/* what it ended with: its exit code, or 128 + the signal that killed it */
};

#define SPAWN_NONE { .pidfd = -1, .gate = -1, .report = -1 }

/*
 * argv is NULL-terminated. The command's standard output becomes out (-1: as ours), its standard error err,
 * and with no_input it reads nothing. Returns 0, or the exit code after having said why.
 */
int spawn_prepare(struct spawn *spawn, char **argv, int out, int err, bool no_input);
/* Returns 0, 126 (cannot be executed) or 127 (not found), said so. */
int spawn_go(struct spawn *spawn);
/* Has ended: waits for it; its code. */
int spawn_wait(struct spawn *spawn);
/*
 * Ends it (SIGTERM) if it still runs, without waiting for long, and closes everything. If tprof was @signalled, the
 * command is given time to end by the same signal. Returns its code if it ended before it was sent SIGTERM, or 0.
 */
int spawn_end(struct spawn *spawn, bool signalled);

#endif
