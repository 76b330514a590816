/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From options to a running session, and the command that it samples, in the order in which nothing is missed:
 *
 *	watch_open -> spawn_prepare, if there is a command -> launch_open -> launch_start ... launch_stop
 */
#ifndef TPROF_LAUNCH_H
#define TPROF_LAUNCH_H

#include "file/output.h"
#include "sampling.h"
#include "spawn.h"
#include "watch.h"

/*
 * Opens a session with that filter, which samples the command alone if there is one (spawn->pid), unless all are asked
 * for. NULL after having said why, with the exit code in *code.
 */
struct tprof_session *launch_open(const struct sampling *sampling, const char *filter, const struct spawn *spawn,
				  int *code);

/*
 * Starts it, with priority until it is stopped, waits for it and for what ends it, and lets the command run. From then
 * on, but for --no-sandbox, this process is in a sandbox: it can do little more than sample, print and write to
 * @output, which is open already; NULL: there is none. 0, or the exit code after having said why.
 */
int launch_start(const struct sampling *sampling, struct tprof_session *session, struct watch *watch,
		 struct spawn *spawn, struct output *output);

/* What it has is there; to name it and to write it down has no hurry. */
void launch_stop(struct tprof_session *session);

#endif
