// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The perf events of one thread or CPU. The events of a group are one group of the kernel, and are read together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "counters.h"

static void slot_free(struct count_slot *slot)
{
	free(slot->fds);
	free(slot->now);
	free(slot->banked);
}

long counters_add_slot(struct tprof_counters *counters, pid_t pid, int cpu, size_t unit)
{
	struct count_slot *slots = array_grow(counters->slots, counters->nr_slots, &counters->slots_capacity,
					      sizeof(*slots)), *slot;

	if (!slots)
		return -ENOMEM;
	counters->slots = slots;
	slot = &slots[counters->nr_slots];
	*slot = (struct count_slot){
		.pid = pid, .cpu = cpu, .unit = unit, .reference_fd = -1,
		.fds = calloc(counters->nr_events, sizeof(*slot->fds)),
		.now = calloc(counters->nr_events, sizeof(*slot->now)),
		.banked = calloc(counters->nr_events, sizeof(*slot->banked)),
	};
	if (!slot->fds || !slot->now || !slot->banked) {
		slot_free(slot);
		return -ENOMEM;
	}
	for (size_t i = 0; i < counters->nr_events; i++)
		slot->fds[i] = -1;
	return (long)counters->nr_slots++;
}

static bool is_grouped(const struct tprof_counters *counters, size_t event)
{
	size_t next = event + 1;

	return counters->events[event].shown.group != event ||
	       (next < counters->nr_events && counters->events[next].shown.group == event);
}

/* The descriptor of the first open event of the group of @event; -1: none. */
static int leader_of(const struct tprof_counters *counters, const struct count_slot *slot, size_t event)
{
	for (size_t i = counters->events[event].shown.group; i < event; i++)
		if (slot->fds[i] >= 0)
			return slot->fds[i];
	return -1;
}

void count_slot_attr(const struct tprof_counters *counters, size_t event, bool leads, struct perf_event_attr *attr)
{
	count_event_attr(counters, &counters->events[event], attr);
	if (is_grouped(counters, event))
		attr->read_format |= PERF_FORMAT_GROUP;
	/* Events of a group follow their leader. */
	attr->disabled = leads;
	attr->enable_on_exec = leads && counters->on_exec;
	attr->inherit = counters->inherits;
}

static int refuse(const struct tprof_counters *counters, const struct count_slot *slot, size_t event, bool leads,
		  int err, struct tprof_error *error)
{
	const char *name = counters->events[event].name;

	if (err == -EACCES || err == -EPERM) {
		error_set(error, EPERM, slot->pid < 0 ? "event %s: not permitted for the whole machine" :
			  "event %s: not permitted for process %d", name, slot->pid);
		error_hint(error, counters->user_only ? "run it as root, or with CAP_PERFMON" :
			   "run it as root or with CAP_PERFMON; for your own programs --user-only may be enough");
		return -EPERM;
	}
	if (!leads && event_is_missing(err))
		return count_group_refuse(counters, slot, event, error);
	error_set(error, -err, "event %s: cannot be counted: %s", name, strerror(-err));
	error_hint_files(error, -err);
	return err;
}

static int open_event(struct tprof_counters *counters, struct count_slot *slot, size_t event,
		      struct tprof_error *error)
{
	int leader = leader_of(counters, slot, event);
	struct perf_event_attr attr;
	long fd;

	count_slot_attr(counters, event, leader < 0, &attr);
	fd = syscall(SYS_perf_event_open, &attr, slot->pid, slot->cpu, leader, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0) {
		slot->fds[event] = (int)fd;
		return 0;
	}
	if (errno == ESRCH || errno == ENODEV)		/* the thread has ended, the CPU is offline */
		return error_set(error, errno, "event %s: %s", counters->events[event].name, strerror(errno));
	/* On a hybrid machine, an event of the PMU of other CPUs. */
	if (leader < 0 && slot->cpu >= 0 && errno == ENOENT)
		return 0;
	return refuse(counters, slot, event, leader < 0, -errno, error);
}

int count_slot_open(struct tprof_counters *counters, struct count_slot *slot, struct tprof_error *error)
{
	int err = 0;

	for (size_t i = 0; i < counters->nr_events && !err; i++)
		if (counters->events[i].shown.supported)
			err = open_event(counters, slot, i, error);
	if (!err)
		err = count_bound_open(counters, slot, error);
	slot->read_ns = clock_own_ns();
	slot->is_open = !err;
	if (err)
		count_slot_close(counters, slot);
	return err;
}

static int enable_event(int fd, bool enable)
{
	return fd >= 0 && ioctl(fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

int count_slot_enable(const struct tprof_counters *counters, const struct count_slot *slot, bool enable)
{
	int err = enable ? 0 : enable_event(slot->reference_fd, false);

	for (size_t i = 0; i < counters->nr_events && !err; i++)
		if (leader_of(counters, slot, i) < 0)
			err = enable_event(slot->fds[i], enable);
	return err || !enable ? err : enable_event(slot->reference_fd, true);
}

/* A group is read from its leader: the values of its events, in the order in which they were opened. */
static int read_group(const struct tprof_counters *counters, struct count_slot *slot, size_t first)
{
	uint64_t words[3 + TPROF_COUNTERS_MAX_EVENTS];
	ssize_t size = read(slot->fds[first], words, sizeof(words));
	uint64_t nr = 0;

	if (size < 0)
		return -errno;
	if (size < (ssize_t)(3 * sizeof(words[0])))
		return -EIO;
	for (size_t i = first; i < counters->nr_events; i++) {
		if (counters->events[i].shown.group != counters->events[first].shown.group)
			break;
		if (slot->fds[i] < 0)
			continue;
		if (nr == words[0])
			return -EIO;
		slot->now[i] = (struct count_reading){ words[3 + nr++], words[1], words[2] };
	}
	return 0;
}

static int read_single(struct count_slot *slot, size_t event)
{
	uint64_t words[3];
	ssize_t size = read(slot->fds[event], words, sizeof(words));

	if (size != (ssize_t)sizeof(words))
		return size < 0 ? -errno : -EIO;
	slot->now[event] = (struct count_reading){ words[0], words[1], words[2] };
	return 0;
}

int count_slot_read(const struct tprof_counters *counters, struct count_slot *slot)
{
	int err = count_bound_read(slot);

	for (size_t i = 0; i < counters->nr_events && !err; i++) {
		if (slot->fds[i] < 0)
			continue;
		if (!is_grouped(counters, i))
			err = read_single(slot, i);
		else if (leader_of(counters, slot, i) < 0)
			err = read_group(counters, slot, i);
	}
	count_bound_correct(counters, slot);
	count_alike_correct(counters, slot);
	slot->read_ns = clock_own_ns();
	return err;
}

void count_slot_close(const struct tprof_counters *counters, struct count_slot *slot)
{
	/* The leader last: without it, events of its group would become events of their own. */
	for (size_t i = counters->nr_events; i-- > 0;) {
		struct count_reading *banked = &slot->banked[i], *now = &slot->now[i];

		banked->raw += now->raw;
		banked->enabled_ns += now->enabled_ns;
		banked->running_ns += now->running_ns;
		*now = (struct count_reading){ 0 };
		if (slot->fds[i] >= 0)
			close(slot->fds[i]);
		slot->fds[i] = -1;
	}
	if (slot->reference_fd >= 0)
		close(slot->reference_fd);
	slot->reference_fd = -1;
	slot->is_open = false;
}

void counters_free_slots(struct tprof_counters *counters)
{
	for (size_t i = 0; i < counters->nr_slots; i++) {
		count_slot_close(counters, &counters->slots[i]);
		slot_free(&counters->slots[i]);
	}
	free(counters->slots);
	counters->slots = NULL;
	counters->nr_slots = counters->slots_capacity = 0;
}
