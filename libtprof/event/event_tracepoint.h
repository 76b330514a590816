/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Tracepoints by name: GROUP:NAME, as perf spells them. */
#ifndef TPROF_EVENT_TRACEPOINT_H
#define TPROF_EVENT_TRACEPOINT_H

#include "event.h"

/*
 * Fills in type and config; the caller has set the rest. Errors: EINVAL (not of that form), ENOENT (no such
 * tracepoint), EPERM (not for this user), EOPNOTSUPP (no trace file system), with a sentence.
 */
int event_tracepoint_parse(struct event *event, const char *name, struct tprof_error *error);

#endif
