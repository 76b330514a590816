// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The times of counters of a thread on one CPU. The kernel lets their time enabled advance whenever the thread runs, on
 * any CPU, and their time running only on theirs: the two differ without multiplexing. The time in which such a counter
 * was to count is the time running of a software event that is opened beside it, because software events always count.
 *
 * The reference is enabled last, and disabled and read first: an event that was never multiplexed has run at least as
 * long.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters.h"

bool count_slot_is_bound(const struct count_slot *slot)
{
	return slot->pid >= 0 && slot->cpu >= 0;
}

/* A group is multiplexed as a whole. */
static bool is_always_counted(const struct tprof_counters *counters, size_t event)
{
	for (size_t i = 0; i < counters->nr_events; i++) {
		uint32_t type = counters->events[i].event.type;

		if (counters->events[i].shown.group == counters->events[event].shown.group &&
		    type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT)
			return false;
	}
	return true;
}

static bool is_needed(const struct tprof_counters *counters)
{
	for (size_t i = 0; i < counters->nr_events; i++)
		if (counters->events[i].shown.supported && !is_always_counted(counters, i))
			return true;
	return false;
}

int count_bound_open(const struct tprof_counters *counters, struct count_slot *slot, struct tprof_error *error)
{
	/* It counts nothing; excluding the kernel needs fewer privileges. */
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1, .enable_on_exec = counters->on_exec, .inherit = counters->inherits,
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	int err;

	if (!count_slot_is_bound(slot) || !is_needed(counters))
		return 0;
	slot->reference_fd = (int)syscall(SYS_perf_event_open, &attr, slot->pid, slot->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (slot->reference_fd >= 0)
		return 0;
	err = error_set(error, errno, "process %d: its time on CPU %d cannot be counted: %s", slot->pid, slot->cpu,
			strerror(errno));
	error_hint_files(error, -err);
	return err;
}

int count_bound_read(struct count_slot *slot)
{
	uint64_t words[3];
	ssize_t size;

	if (slot->reference_fd < 0)
		return 0;
	size = read(slot->reference_fd, words, sizeof(words));
	if (size != (ssize_t)sizeof(words))
		return size < 0 ? -errno : -EIO;
	slot->reference_ns = words[2];
	return 0;
}

void count_bound_correct(const struct tprof_counters *counters, struct count_slot *slot)
{
	for (size_t i = 0; i < counters->nr_events && count_slot_is_bound(slot); i++) {
		struct count_reading *now = &slot->now[i];
		bool is_multiplexed = !is_always_counted(counters, i) && slot->reference_ns > now->running_ns;

		now->enabled_ns = is_multiplexed ? slot->reference_ns : now->running_ns;
	}
}
