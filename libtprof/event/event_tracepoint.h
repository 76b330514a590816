/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Tracepoints by name: GROUP:NAME, spelled as in perf. */
#ifndef TPROF_EVENT_TRACEPOINT_H
#define TPROF_EVENT_TRACEPOINT_H

#include "event.h"

/*
 * Fills in type and config; the caller has set the other fields. Sets the error sentence. Errors: EINVAL (malformed),
 * ENOENT (no such tracepoint), EPERM (no permission to read tracefs), EOPNOTSUPP (no tracefs).
 */
int event_tracepoint_parse(struct event *event, const char *name, struct tprof_error *error);

#endif
