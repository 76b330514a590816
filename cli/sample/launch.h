/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens and starts a session and the command that it samples. This order makes sure that no sample is missed:
 *
 *	watch_open -> spawn_prepare, if there is a command -> launch_open -> launch_start ... launch_stop
 */
#ifndef TPROF_LAUNCH_H
#define TPROF_LAUNCH_H

#include "file/output.h"
#include "sampling.h"
#include "spawn.h"
#include "wait/watch.h"

/*
 * Opens a session with the filter. If there is a command (spawn->pid), only the command is sampled, unless --all is
 * given. Returns NULL after reporting an error, with the exit code in *@code.
 */
struct tprof_session *launch_open(const struct sampling *sampling, const char *filter, const struct spawn *spawn,
				  int *code);

/*
 * Starts the session, adds it and its end conditions to @watch, and lets the command run. Raises the priority of this
 * process until launch_stop(). Unless --no-sandbox is given, this process is in a sandbox from then on: it can do
 * little more than sample, print and write to @output, which must be open already; NULL: no output file. 0, or the exit
 * code after reporting an error.
 */
int launch_start(const struct sampling *sampling, struct tprof_session *session, struct watch *watch,
		 struct spawn *spawn, struct output *output);

/* Stops sampling, and restores the priority: symbolizing and writing the profile are not urgent. */
void launch_stop(struct tprof_session *session);

#endif
