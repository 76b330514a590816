// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The rate and the period of a session: their range, and changes of both. */
#include <errno.h>
#include <string.h>

#include "event/rate.h"
#include "handover.h"
#include "uapi/tprof_device.h"

TPROF_ASSERT(1000000000 / TPROF_RATE_HZ_MAX >= TPROF_MIN_TIMER_NS);

int session_check_rate(uint64_t rate_hz, uint64_t period, struct tprof_error *error)
{
	if (rate_hz > TPROF_RATE_HZ_MAX) {
		error_set(error, EINVAL, "rate_hz %llu: the range is 1 to %d samples a second on each CPU",
			  (unsigned long long)rate_hz, TPROF_RATE_HZ_MAX);
		error_hint(error, "99 is enough for most questions, 997 for short ones");
		return -EINVAL;
	}
	if (period > INT64_MAX) {
		error_set(error, EINVAL, "period %llu: too large", (unsigned long long)period);
		error_hint(error, "the maximum is %lld", (long long)INT64_MAX);
		return -EINVAL;
	}
	return 0;
}

int session_check_period(const struct event *event, uint64_t period, struct tprof_error *error)
{
	if ((event_is_run(event) || event_is_wakeup(event)) && period > 1) {
		error_set(error, EINVAL, "period %llu: %s have no period; each %s is counted, with its length",
			  (unsigned long long)period, event_of_switches_plural(event),
			  event_of_switches_singular(event));
		error_hint(error, "leave it out%s", event_is_run(event) ? "; the event cpu-clock has samples of runs" :
			   "");
		return -EINVAL;
	}
	if (!event_is_clock(event) || period >= TPROF_MIN_TIMER_NS)
		return 0;
	/* On both engines: with a shorter period, a clock spends all its time in the interrupt. */
	error_set(error, EINVAL, "period %llu: the minimum is %d nanoseconds for %s", (unsigned long long)period,
		  TPROF_MIN_TIMER_NS, event->name);
	error_hint(error, "-c 1000000 takes a sample every millisecond");
	return -EINVAL;
}

static int explain(struct tprof_session *session, size_t e, uint64_t period, int err)
{
	error_set(&session->error, -err, "event %s: the period %llu cannot be set: %s",
		  session->sampling.events[e].event.name, (unsigned long long)period, strerror(-err));
	/* EPIPE would be taken for that of a closed output pipe. */
	if (err == -EPIPE)
		return error_set(&session->error, ECHILD, "event %s: the period %llu cannot be set: the broker process "
				 "has exited", session->sampling.events[e].event.name, (unsigned long long)period);
	if (session->broker && (err == -EPERM || err == -EACCES) && event_is_clock(&session->sampling.events[e].event))
		error_hint(&session->error, "in a sandbox this needs kernel.perf_event_paranoid of 2 or less");
	else if (err == -EPERM)
		error_hint(&session->error, "the session is sealed");
	else
		error_hint_files(&session->error, -err);
	return err;
}

/* @period: the new period; with a rate and an event that is not a clock, it is adapted later. */
static int change(struct tprof_session *session, size_t e, uint64_t rate_hz, uint64_t period)
{
	struct sampled_event *sampled = &session->sampling.events[e];
	const struct tprof_raw_note note = { .kind = TPROF_NOTE_PERIOD, .id = period, .text = sampled->event.name };
	int err = session->engine ? session->ops->set_period(session->engine, e, period) : 0;

	if (err)
		return explain(session, e, period, err);
	session_note(session, &note);
	sampled->rate_hz = rate_hz;
	sampled->period = rate_hz ? 0 : period;
	handover_note(session);
	if (session->state != SESSION_RUNNING)
		return 0;
	session_adapt_soon(session);
	err = session_set_timer(session);
	return err ? error_set(&session->error, -err, "session: its timer cannot be set: %s", strerror(-err)) : 0;
}

static int check_event(struct tprof_session *session, size_t e)
{
	int err = session_check_process(session);

	if (err || e < session->sampling.nr_events)
		return err;
	error_set(&session->error, ENOENT, "event %zu: the session has %zu", e, session->sampling.nr_events);
	error_hint(&session->error, "an event is an index below tprof_session__nr_events()");
	return -ENOENT;
}

int tprof_session__set_period(struct tprof_session *session, size_t event, uint64_t period)
{
	int err = check_event(session, event);

	if (!err && !period)
		err = error_set(&session->error, EINVAL, "period 0: not a period");
	if (!err)
		err = session_check_rate(0, period, &session->error);
	if (!err)
		err = session_check_period(&session->sampling.events[event].event, period, &session->error);
	return err ? err : change(session, event, 0, period);
}

/* The period of a clock follows from the rate. Other events keep their pace: the period is then adapted. */
static uint64_t period_for(const struct tprof_session *session, size_t e, uint64_t rate_hz)
{
	const struct sampled_event *sampled = &session->sampling.events[e];
	uint64_t period;

	if (event_is_clock(&sampled->event) || !session->engine)
		return rate_first_period(&sampled->event, rate_hz, 0);
	period = session->ops->period(session->engine, e);
	if (sampled->rate_hz)
		period = (uint64_t)((double)period * (double)sampled->rate_hz / (double)rate_hz);
	return period ? period : 1;
}

int tprof_session__set_rate(struct tprof_session *session, size_t event, uint64_t rate_hz)
{
	int err = check_event(session, event);

	if (!err && !rate_hz)
		err = error_set(&session->error, EINVAL, "rate_hz 0: the range is 1 to %d samples a second on each "
				"CPU", TPROF_RATE_HZ_MAX);
	if (!err)
		err = session_check_rate(rate_hz, 0, &session->error);
	return err ? err : change(session, event, rate_hz, period_for(session, event, rate_hz));
}
