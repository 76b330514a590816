// SPDX-License-Identifier: GPL-2.0-only
/*
 * ADD_EVENT, PERIOD, ATTACH, DETACH, COUNTS and LEDGER refuse invalid names, ranges and numbers.
 *
 * vm: all=arm64
 */
#include <limits.h>
#include <sys/wait.h>

#include "ktap.h"
#include "device.h"

static int device;

static int try(int session, struct tprof_event event)
{
	event.size = sizeof(event);
	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

static void events(int session)
{
	char attr[8] = { 0 };

	refuses(try(session, (struct tprof_event){ .source = "nobody", .period = MS }), ENOENT, "an unknown source");
	refuses(try(session, (struct tprof_event){ .period = MS }), ENOENT, "no source");
	refuses(try(session, (struct tprof_event){ .source = "time", .period = MS }), ENOENT, "half a name");
	refuses(try(session, (struct tprof_event){ .source = "1234567890123456", .period = MS }), EINVAL,
		"a name without an end");
	refuses(try(session, (struct tprof_event){ .source = "timer" }), EINVAL, "a timer that only counts");
	refuses(add_timer(session, TPROF_MIN_TIMER_NS - 1), EINVAL, "a timer that is too fast");
	refuses(add_timer(session, TPROF_MAX_TIMER_NS + 1), EINVAL, "a timer that is too slow");
	refuses(add_timer(session, UINT64_MAX), EINVAL, "a timer that never fires");
	refuses(try(session, (struct tprof_event){ .source = "timer", .period = MS, .attr = (uintptr_t)attr,
						   .attr_size = 8 }), EINVAL, "a timer with attributes");
	refuses(try(session, (struct tprof_event){ .source = "timer", .period = MS, .attr_size = 8 }), EINVAL,
		"attributes without an address");
	refuses(try(session, (struct tprof_event){ .source = "timer", .period = MS, .attr = (uintptr_t)attr }), EINVAL,
		"attributes without a size");
	refuses(try(session, (struct tprof_event){ .source = "perf", .period = MS, .attr = 8, .attr_size = 128 }),
		EFAULT,
		"attributes that are not there");
	refuses(try(session, (struct tprof_event){ .source = "perf", .period = MS, .attr = (uintptr_t)attr,
						   .attr_size = UINT32_MAX }), E2BIG, "4 GB of attributes");
	is(read_session(session).nr_events, 0, "none of them is an event");
	is(add_timer(session, TPROF_MIN_TIMER_NS), 0, "the fastest timer");
	is(add_timer(session, TPROF_MAX_TIMER_NS), 1, "the slowest timer");
	for (int i = 2; i < TPROF_MAX_EVENTS; i++)
		is(add_timer(session, MS), i, "event %d", i);
	refuses(add_timer(session, MS), ENOSPC, "one more");
	is(read_session(session).nr_events, TPROF_MAX_EVENTS, "there are as many as there can be");
}

static int change(int session, uint32_t event, uint64_t period)
{
	struct tprof_period arg = { .size = sizeof(arg), .event = event, .period = period };

	return ioctl(session, TPROF_IOC_PERIOD, &arg);
}

static void periods(int session)
{
	refuses(change(session, TPROF_MAX_EVENTS, MS), ENOENT, "period of an event behind the last");
	refuses(change(session, UINT32_MAX, MS), ENOENT, "period of event 4294967295");
	refuses(change(session, 0, 0), EINVAL, "a period of 0");
	refuses(change(session, 0, TPROF_MIN_TIMER_NS - 1), EINVAL, "a period that is too short");
	refuses(change(session, 0, TPROF_MAX_TIMER_NS + 1), EINVAL, "a period that is too long");
	refuses(change(session, 0, UINT64_MAX), EINVAL, "a period without end");
	is(change(session, 0, 2 * MS), 0, "a good one");
}

static int target(int session, unsigned long cmd, uint32_t kind, uint64_t id)
{
	struct tprof_target arg = { .size = sizeof(arg), .kind = kind, .id = id };

	return ioctl(session, cmd, &arg);
}

static void targets(int session)
{
	pid_t dead = fork();

	if (!dead)
		_exit(0);
	waitpid(dead, NULL, 0);
	for (uint32_t kind = TPROF_TARGET_PROCESS; kind <= TPROF_TARGET_THREAD; kind++) {
		refuses(target(session, TPROF_IOC_ATTACH, kind, 0), ESRCH, "kind %u: task 0", kind);
		refuses(target(session, TPROF_IOC_ATTACH, kind, dead), ESRCH, "kind %u: a dead task", kind);
		refuses(target(session, TPROF_IOC_ATTACH, kind, INT_MAX), ESRCH, "kind %u: the last task", kind);
		refuses(target(session, TPROF_IOC_ATTACH, kind, UINT64_MAX), ESRCH, "kind %u: task -1", kind);
		refuses(target(session, TPROF_IOC_ATTACH, kind, (1ULL << 32) + getpid()), ESRCH, "kind %u: 2^32 more",
			kind);
		refuses(target(session, TPROF_IOC_DETACH, kind, getpid()), ENOENT, "kind %u: not attached", kind);
		refuses(target(session, TPROF_IOC_DETACH, kind, dead), ENOENT, "kind %u: detach the dead", kind);
		refuses(target(session, TPROF_IOC_DETACH, kind, UINT64_MAX), ENOENT, "kind %u: detach task -1", kind);
	}
	refuses(target(session, TPROF_IOC_ATTACH, TPROF_TARGET_CGROUP, 0), ENOENT, "cgroup 0");
	refuses(target(session, TPROF_IOC_ATTACH, TPROF_TARGET_CGROUP, 1ULL << 40), ENOENT, "no such cgroup");
	refuses(target(session, TPROF_IOC_DETACH, TPROF_TARGET_CGROUP, 1), ENOENT, "a cgroup that is not attached");
}

static void cpus(int session)
{
	struct tprof_ledger_read ledger = { .size = sizeof(ledger) };
	struct tprof_counts counts = { .size = sizeof(counts) };
	int nr = sysconf(_SC_NPROCESSORS_CONF);
	const int wrong[] = { nr, -2, INT_MAX, INT_MIN, 1 << 16 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ledger.cpu = counts.cpu = wrong[i];
		refuses(ioctl(session, TPROF_IOC_LEDGER, &ledger), EINVAL, "ledger of CPU %d", wrong[i]);
		refuses(ioctl(session, TPROF_IOC_COUNTS, &counts), EINVAL, "counts of CPU %d", wrong[i]);
	}
	counts.cpu = -1;
	counts.event = TPROF_MAX_EVENTS;
	refuses(ioctl(session, TPROF_IOC_COUNTS, &counts), ENOENT, "counts of an event behind the last");
	counts.event = UINT32_MAX;
	refuses(ioctl(session, TPROF_IOC_COUNTS, &counts), ENOENT, "counts of event 4294967295");
	is(read_ledger(session, nr - 1).fired.samples, 0, "the ledger of the last CPU");
}

int main(void)
{
	int session;

	device = open_device();
	session = create_session(device);
	need(session >= 0, "a session is made");
	events(session);
	periods(session);
	targets(session);
	cpus(session);
	return done_testing();
}
