/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Events by name: converts the argument of -e to the fields of perf_event_open(2). */
#ifndef TPROF_EVENT_H
#define TPROF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cpus.h"

/* A place in code (event_place.h). */
struct event_place {
	char path[512];		/* uprobe: the file */
	char function[240];	/* empty: offset is an address of the kernel, or an offset in the file */
	uint64_t offset;	/* from the start of the function */
	bool returns;		/* returns from the function, instead of passages */
};

struct event {
	char name[768];		/* as displayed */
	const char *unit;	/* unit of the weights */
	uint32_t type;
	uint64_t config, config1, config2;
	char source[16];	/* name of a source of the kernel module, if type is EVENT_TYPE_SOURCE */
	struct event_place place;	/* of the sources kprobe and uprobe */
};

/*
 * A source of the tprof module that is not the timer or perf: a place in code, or a source that another kernel module
 * has registered. perf has no type with this number.
 */
#define EVENT_TYPE_SOURCE UINT32_MAX
/* The sources of places in the kernel and in files. */
#define EVENT_SOURCE_KPROBE "kprobe"
#define EVENT_SOURCE_UPROBE "uprobe"

/*
 * Accepts the names in event_names.h, cache events (L1-dcache-loads, ...), rNNN, pmu/alias/, pmu/term=value,.../, the
 * tracepoint GROUP:NAME or tracepoint:GROUP:NAME, and places in code (event_place.h), which are not looked up. Errors:
 * ENOENT (no such event), EINVAL (malformed), EPERM (no permission to read tracefs), EOPNOTSUPP (no tracefs).
 */
int event_parse(struct event *event, const char *name, struct tprof_error *error);

/* Is it a place in code? */
bool event_is_place(const struct event *event);
/* Does each single occurrence matter, as with places and tracepoints? Their period is 1 unless one is requested. */
bool event_is_counted_singly(const struct event *event);

/* Does it count nanoseconds? Rate and period then determine each other without measuring. */
bool event_is_clock(const struct event *event);

/* Fills in the attr for sampling the event on one CPU. The event starts disabled. */
void event_attr_init(struct perf_event_attr *attr, const struct event *event, uint64_t period);

/* perf_event_open(2) for all tasks on one CPU, close-on-exec. Returns the file descriptor or -errno. */
int event_open_cpu(const struct perf_event_attr *attr, int cpu);

/*
 * Can the event be sampled on at least one of these CPUs? On a hybrid machine each CPU type has its own PMU. Returns 0,
 * or the -errno of the first CPU if it fails on all.
 */
int event_probe(const struct event *event, const struct cpus *cpus);
/* The same for all online CPUs. */
int event_probe_online(const struct event *event);
/* Does this -errno mean that the event does not exist here? Permission errors do not. */
bool event_is_missing(int err);

#endif
