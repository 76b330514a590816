/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Several events in one session. Included by tprof.h, which has the rules for all functions. */
#ifndef TPROF_TPROF_EVENT_H
#define TPROF_TPROF_EVENT_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/** TPROF_EVENTS_MAX - the most events of a session */
#define TPROF_EVENTS_MAX	8

/**
 * struct tprof_event_opts - one of several events of a session
 * @sz:      size of this struct, the same in all elements of an array
 * @event:   event to sample, as in struct tprof_session_opts; not NULL
 * @rate_hz: as in struct tprof_session_opts, for this event
 * @period:  as in struct tprof_session_opts, for this event. Excludes @rate_hz
 */
struct tprof_event_opts {
	size_t sz;
	const char *event;
	uint64_t rate_hz;
	uint64_t period;
};

/**
 * struct tprof_event_info - an event of a session or a profile
 * @sz:      set by the caller to sizeof(struct tprof_event_info)
 * @event:   name of the event
 * @unit:    unit of its weights, as in struct tprof_info
 * @rate_hz: target rate in samples per second on each CPU; 0 if the period is fixed by the user
 * @period:  current period: events per sample
 */
struct tprof_event_info {
	size_t sz;
	const char *event;
	const char *unit;
	uint64_t rate_hz;
	uint64_t period;
};

/**
 * tprof_event__is_of_switches() - is it an event of context switches?
 * @name: the name of an event
 *
 * Returns true for off-cpu, on-cpu and wakeup. Each of these is counted, with its length, so they have no rate_hz, and
 * only off-cpu has a period. Their call stacks are walked by frame pointers: a stack can be copied only while its
 * thread runs.
 */
TPROF_API bool tprof_event__is_of_switches(const char *name);

/** tprof_session__nr_events() - returns the number of events of the session, at least 1 */
TPROF_API size_t tprof_session__nr_events(const struct tprof_session *session);

/**
 * tprof_session__event() - describe an event of the session
 * @session: a session
 * @index:   index of the event, as in struct tprof_sample, from 0
 * @info:    filled; strings are valid as long as the session
 *
 * Errors: ENOENT (no such event).
 */
TPROF_API int tprof_session__event(const struct tprof_session *session, size_t index, struct tprof_event_info *info);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_EVENT_H */
