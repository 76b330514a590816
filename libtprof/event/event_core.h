/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * PMUs of CPUs. A hybrid machine has several, each for the CPUs of one type: "cycles" then stands for an event of each
 * of them, as in perf.
 */
#ifndef TPROF_EVENT_CORE_H
#define TPROF_EVENT_CORE_H

#include "event.h"

#define EVENT_SYSFS "/sys/bus/event_source/devices"

#define EVENT_CORE_PMUS	8

struct core_pmus {
	struct core_pmu {
		char name[64];
		uint32_t type;
	} all[EVENT_CORE_PMUS];		/* those that have at least one of the CPUs, by type */
	size_t nr;
	bool hybrid;			/* the machine has several, whatever the CPUs */
};

/*
 * Reads the PMUs of these CPUs from @sysfs, EVENT_SYSFS. Without memory or files, and on machines that are not hybrid,
 * there are none.
 */
void event_core_pmus(struct core_pmus *pmus, const char *sysfs, const struct cpus *cpus);
/* Is it a PMU of CPUs of one type? */
bool event_is_core_pmu(const char *sysfs, const char *pmu);

/* Does each PMU of CPUs have its own event of this name? True for hardware, cache and raw events. */
bool event_is_of_core(const char *name);
/* The name of the event of one PMU: "cycles:u" becomes "cpu_core/cycles/u". -EINVAL: the name is too long. */
int event_core_name(char *into, size_t size, const char *name, const char *pmu);
/* Parses the event @name of the PMU @pmu with the number event->type, without modifiers. */
bool event_parse_of_core(struct event *event, const char *name);

#endif
