/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command after `--`. It is forked first, so that its pid can be put in scope, and executed once the session runs,
 * so that sampling covers it from the start.
 *
 *	spawn_prepare -> tprof_session__add_pid(session, spawn.pid) -> start -> spawn_go -> ... -> spawn_end
 */
#ifndef TPROF_SPAWN_H
#define TPROF_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	pid_t pid;		/* 0: none */
	int pidfd;		/* readable when the command has exited; -1: none */
	int gate;		/* pipe: writing a byte lets the child call exec */
	int report;		/* pipe: delivers the errno of a failed exec */
	const char *name;
	int code;		/* its exit code, or 128 + the signal that killed it */
};

#define SPAWN_NONE { .pidfd = -1, .gate = -1, .report = -1 }

/*
 * Forks the command. @argv is NULL-terminated. @out and @err become its standard output and error (-1: inherited); with
 * @no_input, its standard input is /dev/null. Returns 0, or the exit code after reporting an error.
 */
int spawn_prepare(struct spawn *spawn, char **argv, int out, int err, bool no_input);
/* Executes the command. Returns 0, or after reporting an error 126 (cannot be executed) or 127 (not found). */
int spawn_go(struct spawn *spawn);
/* Waits for the exit of the command for so long. Has it exited? */
bool spawn_has_ended(const struct spawn *spawn, int wait_ms);
/* Reaps the command, which has exited. Returns its code. */
int spawn_wait(struct spawn *spawn);
/*
 * Sends SIGTERM to the command if it still runs, waits briefly, and closes everything. If tprof was @signalled, first
 * gives the command time to exit by the same signal. Returns the code of the command if it exited before SIGTERM was
 * sent, otherwise 0.
 */
int spawn_end(struct spawn *spawn, bool signalled);

#endif
