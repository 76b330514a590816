// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* When a session samples: start, pause, resume, stop, and start again. */
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>

#include "base/clock.h"
#include "handover.h"

/*
 * The process may be killed in between. What it intends is noted before; whether the session samples, the next process
 * learns from the kernel.
 */
static int enable(struct tprof_session *session)
{
	const enum session_state before = session->state;
	int err;

	session->state = SESSION_RUNNING;
	handover_note(session);
	session->state = before;
	err = session->ops->enable(session->engine);
	return err ? error_set(&session->error, -err, "engine %s: cannot be started: %s", session->ops->name,
			       strerror(-err)) : 0;
}

static int start_first(struct tprof_session *session)
{
	int err = session->state == SESSION_PREPARED ? 0 : tprof_session__prepare(session);

	if (err)
		return err;
	session->reported.sz = sizeof(session->reported);
	session->started_ns = clock_now_ns();
	session->collected_ns = clock_own_ns();
	err = session->collector.raw ? session_raw_start(session) : 0;
	if (err)
		return err;
	session->snapshot_ns = clock_now_ns();
	session->adapting_ns = clock_own_ns();
	for (size_t e = 0; e < session->sampling.nr_events; e++)
		session->adapted_ns[e] = session->adapting_ns;
	err = enable(session);
	if (err)
		return err;
	session->state = SESSION_RUNNING;
	session_adapt_soon(session);
	err = session_set_timer(session);
	if (err)
		return error_set(&session->error, -err, "session: its timer cannot be set: %s", strerror(-err));
	session_note_targets(session);
	/*
	 * After sampling has started: names of older processes are needed only later, and the scan would delay the
	 * start.
	 */
	aspaces_scan(session->aspaces);
	scope_scan(session);
	handover_note(session);
	return 0;
}

/* Continues after a pause or a stop. */
static int go_on(struct tprof_session *session)
{
	const struct tprof_raw_note resumed = { .kind = TPROF_NOTE_RESUMED };
	uint64_t halted_ns = clock_now_ns() - session->stopped_ns;
	int err = session_set_timer(session);

	if (err)
		return error_set(&session->error, -err, "session: its timer cannot be set: %s", strerror(-err));
	session->collected_ns = clock_own_ns();
	session->halted_ns += halted_ns;
	/* No event occurred in between. */
	session->adapting_ns += halted_ns;
	for (size_t e = 0; e < session->sampling.nr_events; e++)
		session->adapted_ns[e] += halted_ns;
	session_note(session, &resumed);
	err = enable(session);
	if (!err)
		session->state = SESSION_RUNNING;
	handover_note(session);
	return err;
}

/* Sampling ends, until go_on(). */
static int halt(struct tprof_session *session, enum session_state state)
{
	const struct tprof_raw_note paused = { .kind = TPROF_NOTE_PAUSED };
	const struct itimerspec never = { 0 };
	int err;

	/* Read before stopping, which takes a while in which nothing is sampled. */
	session->stopped_ns = clock_now_ns();
	session->state = state;
	handover_note(session);
	err = session->ops->disable(session->engine);
	session_note(session, &paused);
	sideband_count_lost(session->sideband);
	timerfd_settime(session->timer_fd, 0, &never, NULL);
	handover_note(session);
	return err ? error_set(&session->error, -err, "engine %s: cannot be stopped: %s", session->ops->name,
			       strerror(-err)) : 0;
}

int tprof_session__start(struct tprof_session *session)
{
	int err = session_check_process(session);

	if (err)
		return err;
	if (session->state == SESSION_RUNNING || session->state == SESSION_PAUSED) {
		error_set(&session->error, EBUSY, "session: has been started already");
		if (session->state == SESSION_PAUSED)
			error_hint(&session->error, "tprof_session__resume() continues after a pause");
		return -EBUSY;
	}
	if (session->state != SESSION_STOPPED)
		return start_first(session);
	if (session_raw_has_ended(session)) {
		error_set(&session->error, EBUSY, "raw recording: has ended, the session cannot be started again");
		error_hint(&session->error, "call tprof_session__raw_end() after the last stop");
		return -EBUSY;
	}
	return go_on(session);
}

int tprof_session__stop(struct tprof_session *session)
{
	int err = session_check_process(session);

	if (err || session->state < SESSION_RUNNING || session->state == SESSION_STOPPED)
		return err;
	if (session->state == SESSION_RUNNING)
		return halt(session, SESSION_STOPPED);
	session->state = SESSION_STOPPED;
	return 0;
}

int tprof_session__pause(struct tprof_session *session)
{
	int err = session_check_started(session, "pause: the session");

	if (err || session->state == SESSION_PAUSED)
		return err;
	if (session->state == SESSION_STOPPED)
		return error_set(&session->error, EBUSY, "pause: the session is stopped");
	return halt(session, SESSION_PAUSED);
}

int tprof_session__resume(struct tprof_session *session)
{
	int err = session_check_started(session, "resume: the session");

	if (err || session->state == SESSION_RUNNING)
		return err;
	if (session->state == SESSION_STOPPED) {
		error_set(&session->error, EBUSY, "resume: the session is stopped");
		error_hint(&session->error, "tprof_session__start() starts it again");
		return -EBUSY;
	}
	return go_on(session);
}
