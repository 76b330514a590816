// SPDX-License-Identifier: GPL-2.0-only
/* From options to a running session, and the command that it samples. */
#include "launch.h"

#include <string.h>

#include "cmd.h"
#include "out.h"

struct tprof_session *launch_open(const struct sampling *sampling, const char *filter, const struct spawn *spawn,
				  int *code)
{
	struct tprof_session *session = sampling_open(sampling, filter, code);
	int err = session && spawn->pid ? tprof_session__add_pid(session, spawn->pid) : 0;

	if (!err)
		return session;
	*code = out_error_of_session(session, err);
	tprof_session__close(session);
	return NULL;
}

int launch_start(const struct sampling *sampling, struct tprof_session *session, struct watch *watch,
		 struct spawn *spawn)
{
	int code = sampling_start(sampling, session), err;

	if (code)
		return code;
	err = watch_session(watch, session);
	if (!err && spawn->pid)
		err = watch_command(watch, spawn->pidfd);
	if (!err)
		err = watch_duration(watch, sampling->duration_ns);
	if (err) {
		out_error(NULL, "epoll: %s", strerror(-err));
		return EXIT_FAIL;
	}
	return spawn->pid ? spawn_go(spawn) : EXIT_OK;
}
