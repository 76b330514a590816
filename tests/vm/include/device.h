/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions for guest tests in C: ioctls of the device with the usual values. Include ktap.h first. */
#ifndef TPROF_TESTS_DEVICE_H
#define TPROF_TESTS_DEVICE_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "uapi/tprof_device.h"

#define MS 1000000ULL

__attribute__((unused))
static int open_device(void)
{
	int fd = open(TPROF_DEVICE, O_RDWR | O_CLOEXEC);

	need(fd >= 0, "the device opens");
	return fd;
}

/* Returns the number of all sessions. */
__attribute__((unused))
static int open_sessions(int device)
{
	struct tprof_module_info info = { .size = sizeof(info) };

	need(ioctl(device, TPROF_IOC_INFO, &info) == 0, "the module tells of itself");
	return info.nr_sessions;
}

/* Returns the descriptor of a new session, or -1. */
__attribute__((unused))
static int create_session(int device)
{
	struct tprof_create create = { .size = sizeof(create) };

	return ioctl(device, TPROF_IOC_CREATE, &create);
}

__attribute__((unused))
static int add_timer(int session, uint64_t period_ns)
{
	struct tprof_event event = { .size = sizeof(event), .source = "timer", .period = period_ns };

	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

/* Adds a perf event by type and config; with a period of 0 it only counts. */
__attribute__((unused))
static int add_perf(int session, uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = { .type = type, .config = config, .size = sizeof(attr) };
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .period = period,
		.attr = (uintptr_t)&attr, .attr_size = sizeof(attr),
	};

	return ioctl(session, TPROF_IOC_ADD_EVENT, &event);
}

__attribute__((unused))
static int configure(int session, uint32_t flags, uint32_t stream_bytes)
{
	struct tprof_config config = { .size = sizeof(config), .flags = flags, .stream_bytes = stream_bytes };

	return ioctl(session, TPROF_IOC_CONFIGURE, &config);
}

/* The session samples only this CPU; @stream_bytes 0: no stream. */
__attribute__((unused))
static int configure_on_cpu(int session, int cpu, uint32_t stream_bytes)
{
	uint64_t mask = 1ULL << cpu;
	struct tprof_config config = {
		.size = sizeof(config), .cpus = (uintptr_t)&mask, .cpus_size = sizeof(mask),
		.stream_bytes = stream_bytes,
	};

	return ioctl(session, TPROF_IOC_CONFIGURE, &config);
}

__attribute__((unused))
static struct tprof_ledger_read read_ledger(int session, int cpu)
{
	struct tprof_ledger_read ledger = { .size = sizeof(ledger), .cpu = cpu };

	need(ioctl(session, TPROF_IOC_LEDGER, &ledger) == 0, "the ledger is read");
	return ledger;
}

__attribute__((unused))
static struct tprof_counts read_counts(int session, uint32_t event, int cpu)
{
	struct tprof_counts counts = { .size = sizeof(counts), .event = event, .cpu = cpu };

	need(ioctl(session, TPROF_IOC_COUNTS, &counts) == 0, "the counts are read");
	return counts;
}

__attribute__((unused))
static struct tprof_session_info read_session(int session)
{
	struct tprof_session_info info = { .size = sizeof(info) };

	need(ioctl(session, TPROF_IOC_SESSION, &info) == 0, "a session tells of itself");
	return info;
}

/* Waits until all captured samples are delivered. */
__attribute__((unused))
static void flush(int session)
{
	uint64_t cookie = 0;

	need(ioctl(session, TPROF_IOC_FLUSH, &cookie) == 0, "the session is flushed");
}

/* Whether the ledger closes, in samples and in weight. */
__attribute__((unused))
static bool closes(const struct tprof_ledger_read *ledger)
{
	struct tprof_tally sum = { 0 };

	for (int i = 0; i < TPROF_MAX_OUTCOMES; i++) {
		sum.samples += ledger->outcomes[i].samples;
		sum.weight += ledger->outcomes[i].weight;
	}
	for (int i = 0; i < TPROF_MAX_LOST_REASONS; i++) {
		sum.samples += ledger->lost[i].samples;
		sum.weight += ledger->lost[i].weight;
	}
	return sum.samples == ledger->fired.samples && sum.weight == ledger->fired.weight;
}

__attribute__((unused))
static uint64_t lost(const struct tprof_ledger_read *ledger)
{
	uint64_t samples = 0;

	for (int i = 0; i < TPROF_MAX_LOST_REASONS; i++)
		samples += ledger->lost[i].samples;
	return samples;
}

__attribute__((unused))
static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* The run of a session: at least between start_ends_ns and stop_begins_ns, at most between the outer two times. */
struct run {
	uint64_t start_begins_ns, start_ends_ns, stop_begins_ns, stop_ends_ns;
};

__attribute__((unused))
static void start_run(int session, struct run *run)
{
	run->start_begins_ns = now_ns();
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	run->start_ends_ns = now_ns();
}

__attribute__((unused))
static void stop_run(int session, struct run *run)
{
	run->stop_begins_ns = now_ns();
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	run->stop_ends_ns = now_ns();
}

/* Whether @ns is the time of a run on one CPU, less at most two periods: the current one, and one of idle time. */
__attribute__((unused))
static bool is_time_of(const struct run *run, uint64_t ns, uint64_t period_ns)
{
	uint64_t least = run->stop_begins_ns - run->start_ends_ns, most = run->stop_ends_ns - run->start_begins_ns;

	if (ns + 2 * period_ns >= least && ns <= most + 2 * period_ns)
		return true;
	diag("%llu ns, of %llu to %llu", (unsigned long long)ns, (unsigned long long)least, (unsigned long long)most);
	return false;
}

/* Uses the CPU for that long. */
__attribute__((unused))
static void burn(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

#endif
