// SPDX-License-Identifier: GPL-2.0-only
/* Opens and starts a session and the command that it samples. */
#include "launch.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/exit_code.h"
#include "base/out.h"
#include "tprof_sandbox.h"

/*
 * The nice value during sampling. On an overloaded machine, a delayed profiler loses data: tables fill up, and
 * short-lived processes can no longer be symbolized. tprof uses little CPU time itself. A nice value other than 0,
 * chosen by the user, is kept, and a failure to raise the priority is ignored. The command is forked before, so it is
 * not affected.
 */
#define URGENT_NICE (-10)

static bool is_urgent;

static void begin_urgent(void)
{
	errno = 0;
	if (getpriority(PRIO_PROCESS, 0) == 0 && !errno)
		is_urgent = setpriority(PRIO_PROCESS, 0, URGENT_NICE) == 0;
}

static void end_urgent(void)
{
	if (is_urgent)
		setpriority(PRIO_PROCESS, 0, 0);
	is_urgent = false;
}

struct tprof_session *launch_open(const struct sampling *sampling, const char *filter, const struct spawn *spawn,
				  int *code)
{
	struct tprof_session *session = sampling_open(sampling, filter, code);
	bool alone = spawn->pid && !sampling->all;
	int err = session && alone ? tprof_session__add_pid(session, spawn->pid) : 0;

	if (!err)
		return session;
	*code = out_error_of_session(session, err);
	tprof_session__close(session);
	return NULL;
}

static int enter_sandbox(const struct spawn *spawn, struct tprof_session *session, struct watch *watch,
			 struct output *output)
{
	const struct tprof_sandbox_opts opts = {
		.sz = sizeof(opts),
		.temporary = output ? output->temporary : NULL,
		.name = output && output->temporary ? output->target : NULL,
		.command = spawn->pid,
	};
	int err, resumed;

	/* The sandbox does not apply to existing threads, so the signal thread is restarted inside it. */
	ending_pause(&watch->ending);
	err = tprof_session__sandbox(session, &opts);
	resumed = ending_resume(&watch->ending);
	if (!err && output)
		output->session = session;
	if (!err && !resumed)
		return EXIT_OK;
	if (!err)
		out_error(NULL, "the signal thread cannot be restarted: %s", strerror(-resumed));
	else
		out_error("--no-sandbox samples without the sandbox, and keeps all privileges", "%s",
			  tprof_session__error(session));
	return EXIT_CANNOT;
}

static int confine(const struct sampling *sampling, const struct spawn *spawn, struct tprof_session *session,
		   struct watch *watch, struct output *output)
{
	if (!sampling->no_sandbox)
		return enter_sandbox(spawn, session, watch, output);
	tprof_session__warn(session, "tprof ran without its sandbox (--no-sandbox)");
	return EXIT_OK;
}

static int start(struct tprof_session *session)
{
	int err = tprof_session__start(session);

	return err ? out_error_of_session(session, err) : EXIT_OK;
}

int launch_start(const struct sampling *sampling, struct tprof_session *session, struct watch *watch,
		 struct spawn *spawn, struct output *output)
{
	int code, err;

	begin_urgent();
	code = sampling_prepare(sampling, session);
	if (!code)
		code = confine(sampling, spawn, session, watch, output);
	if (!code)
		code = start(session);
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

void launch_stop(struct tprof_session *session)
{
	tprof_session__stop(session);
	end_urgent();
}
