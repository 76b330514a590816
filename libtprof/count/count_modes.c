// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* In which modes events are counted. */
#include "count_modes.h"

#include <errno.h>

bool count_modes_are_all(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE || event->type == PERF_TYPE_TRACEPOINT;
}

bool count_modes_is_kernel(const struct event *event)
{
	if (event->type != PERF_TYPE_SOFTWARE)
		return event->type == PERF_TYPE_TRACEPOINT;
	return event->config == PERF_COUNT_SW_CONTEXT_SWITCHES || event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
	       event->config == PERF_COUNT_SW_CGROUP_SWITCHES;
}

int count_modes_check(const struct event *event, struct tprof_error *error)
{
	/* Leaving out the hypervisor only, as in "uk", changes nothing. */
	if (event_is_clock(event) && (event->excludes & (EVENT_EXCLUDE_USER | EVENT_EXCLUDE_KERNEL))) {
		error_set(error, EINVAL, "event %s: a clock counts the time in all modes", event->name);
		error_hint(error, "tprof top -e %s samples the time in one mode", event->name);
		return -EINVAL;
	}
	if (count_modes_is_kernel(event) && (event->excludes & EVENT_EXCLUDE_KERNEL)) {
		error_set(error, EINVAL, "event %s: it occurs in the kernel only", event->name);
		error_hint(error, "leave the modifier out");
		return -EINVAL;
	}
	return 0;
}

bool count_modes_may_help(const struct event *event, int err)
{
	return (err == -EACCES || err == -EPERM) && event->type == PERF_TYPE_SOFTWARE;
}
