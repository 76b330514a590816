// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Why the kernel refuses an event in a group, which its error number does not tell. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters.h"

static int open_in(const struct tprof_counters *counters, const struct count_slot *slot, size_t event, int leader)
{
	struct perf_event_attr attr;

	count_slot_attr(counters, event, leader < 0, &attr);
	return (int)syscall(SYS_perf_event_open, &attr, slot->pid, slot->cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Can both be counted at the same time, if they are alone? */
static bool is_pair(const struct tprof_counters *counters, const struct count_slot *slot, size_t a, size_t b)
{
	int leader = open_in(counters, slot, a, -1), second;

	if (leader < 0)
		return false;
	second = open_in(counters, slot, b, leader);
	if (second >= 0)
		close(second);
	close(leader);
	return second >= 0;
}

int count_group_refuse(const struct tprof_counters *counters, const struct count_slot *slot, size_t event,
		       struct tprof_error *error)
{
	const char *name = counters->events[event].name;
	size_t first = counters->events[event].shown.group;

	for (size_t i = first; i < event; i++) {
		if (slot->fds[i] < 0 || is_pair(counters, slot, i, event))
			continue;
		error_set(error, EINVAL, "event %s: cannot be counted together with %s: they are of different PMUs, "
			  "or need the same counter", name, counters->events[i].name);
		error_hint(error, "leave out the braces: a group has events of one PMU, and of the kernel itself");
		return -EINVAL;
	}
	error_set(error, EINVAL, "event %s: cannot be counted together with the %zu events before it: the PMU has "
		  "too few counters for this group", name, event - first);
	error_hint(error, "make the group smaller, or leave out the braces: the events then take turns");
	return -EINVAL;
}
