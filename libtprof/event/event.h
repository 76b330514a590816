/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Events by name: what the user writes after -e, as perf_event_open() wants it. */
#ifndef TPROF_EVENT_H
#define TPROF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cpus.h"

struct event {
	char name[128];		/* as it is shown */
	const char *unit;	/* what weights are in */
	uint32_t type;
	uint64_t config, config1, config2;
	char source[16];	/* of the kernel module, if it is no event of perf's: EVENT_TYPE_SOURCE */
};

/* A source that a module of somebody's has registered with ours. perf knows no type of this number. */
#define EVENT_TYPE_SOURCE UINT32_MAX

/*
 * Accepted: the names in event_names.h, LEVEL-OP cache events, rNNN, pmu/alias/ and pmu/term=value,.../, and the
 * tracepoint GROUP:NAME. Errors: ENOENT (no such event), EINVAL (cannot be parsed), EPERM and EOPNOTSUPP (the trace
 * file system cannot be read, or is not there).
 */
int event_parse(struct event *event, const char *name, struct tprof_error *error);

/* Counts nanoseconds, so that a rate and a period are the same thing. */
bool event_is_clock(const struct event *event);

/* The attr for sampling it on one CPU, disabled at first. */
void event_attr_init(struct perf_event_attr *attr, const struct event *event, uint64_t period);

/* perf_event_open(2) for all tasks of one CPU, close-on-exec; returns the descriptor or -errno. */
int event_open_cpu(const struct perf_event_attr *attr, int cpu);

/*
 * Can it be sampled on one of these CPUs? A machine may have several kinds of them, each with a PMU of its own. 0, or
 * -errno, of the first CPU if the event is missing on all.
 */
int event_probe(const struct event *event, const struct cpus *cpus);
/* On one of those that are online? */
int event_probe_online(const struct event *event);
/* Does this -errno say that there is no such event here? No right to open it is another matter. */
bool event_is_missing(int err);

#endif
