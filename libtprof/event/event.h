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
	bool is_pattern;	/* function is a pattern for the names of functions of the kernel */
};

struct event {
	char name[768];		/* as displayed */
	const char *unit;	/* unit of the weights */
	uint32_t type;
	uint64_t config, config1, config2;
	uint8_t excludes;	/* EVENT_EXCLUDE_* */
	uint8_t precise;	/* precise_ip of perf_event_open(2) */
	uint32_t core_pmu;	/* type of its PMU, if that is one of the CPUs of one type (event_core.h); else 0 */
	char source[16];	/* name of a source of the kernel module, if type is EVENT_TYPE_SOURCE */
	struct event_place place;	/* of the sources kprobe, uprobe and function */
};

/* Where the event is not counted. */
#define EVENT_EXCLUDE_USER (1U << 0)
#define EVENT_EXCLUDE_KERNEL (1U << 1)
#define EVENT_EXCLUDE_HYPERVISOR (1U << 2)
#define EVENT_EXCLUDE_GUEST (1U << 3)
#define EVENT_EXCLUDE_HOST (1U << 4)

/*
 * A source of the tprof module that is not the timer or perf: a place in code, or a source that another kernel module
 * has registered. perf has no type with this number.
 */
#define EVENT_TYPE_SOURCE UINT32_MAX
/* The event off-cpu: waits of threads. No kernel source has it: programs of the engine observe context switches. */
#define EVENT_TYPE_WAIT (UINT32_MAX - 1)
#define EVENT_WAIT_NAME "off-cpu"
/* The event on-cpu: runs of threads, from the same programs. */
#define EVENT_TYPE_RUN (UINT32_MAX - 2)
#define EVENT_RUN_NAME "on-cpu"
/* The event wakeup: the ends of waits, where another thread or an interrupt causes them. */
#define EVENT_TYPE_WAKEUP (UINT32_MAX - 3)
#define EVENT_WAKEUP_NAME "wakeup"
/* The sources of places in the kernel and in files. */
#define EVENT_SOURCE_KPROBE "kprobe"
#define EVENT_SOURCE_FUNCTION "function"
#define EVENT_SOURCE_UPROBE "uprobe"

/*
 * Accepts the names in event_names.h, cache events (L1-dcache-loads, ...), rNNN, pmu/alias/, pmu/term=value,.../, the
 * former with a PMU of CPUs of one type (cpu_atom/cycles/), pfm:NAME (event_pfm.h), the tracepoint GROUP:NAME or
 * tracepoint:GROUP:NAME, and places in code (event_place.h), which are not looked up. Events that the CPU or the kernel
 * counts may have modifiers (event_modifiers.h). Errors: ENOENT (no such event), EINVAL (malformed, or a modifier that
 * does not fit the event), EPERM (no permission to read tracefs), EOPNOTSUPP (no tracefs, no libpfm4, or no precise
 * addresses on this machine).
 */
int event_parse(struct event *event, const char *name, struct tprof_error *error);

/* Is it a place in code? */
bool event_is_place(const struct event *event);
/* Is it the event off-cpu? */
bool event_is_wait(const struct event *event);
/* Is it the event on-cpu? */
bool event_is_run(const struct event *event);
/* Is it the event wakeup? */
bool event_is_wakeup(const struct event *event);
/*
 * Is it one of these? They have no perf event: programs observe context switches. tprof_event__is_of_switches() tells
 * it by the name.
 */
bool event_is_of_switches(const struct event *event);
/* The word for the samples of such an event: "waits", and "wait" for one. */
const char *event_of_switches_plural(const struct event *event);
const char *event_of_switches_singular(const struct event *event);
/* Does each occurrence matter, as with places, tracepoints, waits and runs? Their period is 1, or as requested. */
bool event_is_counted_singly(const struct event *event);

/* Does it count nanoseconds? Rate and period then determine each other without measuring. */
bool event_is_clock(const struct event *event);

/* Do its samples have an address on the perf engine, which requests no data from a PMU? */
bool event_has_address(const struct event *event);

/* Sets what the attr counts, and where; the rest of it is unchanged. */
void event_attr_choose(struct perf_event_attr *attr, const struct event *event);
/* Fills in the attr for sampling the event on one CPU. The event starts disabled. */
void event_attr_init(struct perf_event_attr *attr, const struct event *event, uint64_t period);

/* perf_event_open(2) for all tasks on one CPU, close-on-exec. Returns the file descriptor or -errno. */
int event_open_cpu(const struct perf_event_attr *attr, int cpu);

/* May it be opened for the host only? A PMU that is shared with guests requires it. */
bool event_may_leave_guests(const struct event *event);
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
