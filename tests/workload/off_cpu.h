/* SPDX-License-Identifier: GPL-2.0-only */
/* For the workload waits: how long a thread is off the CPU, by its own clocks, and when it is woken. */
#ifndef WORKLOAD_OFF_CPU_H
#define WORKLOAD_OFF_CPU_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"

/*
 * Shared with children. They write when they are about to wake their parent, which looks at each of these times once:
 * it may be so late that the next one is there already.
 */
#define MAX_WAKINGS 256
static struct {
	uint64_t wakings[MAX_WAKINGS];
	uint32_t nr_wakings;
	uint64_t waits_since;		/* from when on the parent, or a thread of a child, waits; or is about to */
} *shared;
static uint32_t nr_woken;
static _Thread_local uint64_t woken_for_ns;

static void about_to_wake(void)
{
	uint32_t nr = shared->nr_wakings;

	shared->wakings[nr % MAX_WAKINGS] = clock_ns(CLOCK_MONOTONIC);
	__atomic_store_n(&shared->nr_wakings, nr + 1, __ATOMIC_RELEASE);
}

static int is_woken(void)
{
	return nr_woken != __atomic_load_n(&shared->nr_wakings, __ATOMIC_ACQUIRE);
}

static void woken_since(uint64_t ns)
{
	woken_for_ns += clock_ns(CLOCK_MONOTONIC) - ns;
}

/* Returns the time before it was woken. */
static uint64_t woken(void)
{
	uint64_t ns;

	if (!is_woken()) {
		fputs("waits: woken by nobody\n", stderr);
		exit(EXIT_FAILURE);
	}
	ns = shared->wakings[nr_woken++ % MAX_WAKINGS];
	woken_since(ns);
	return ns;
}

static int share(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared != MAP_FAILED;
}

/* The time in which this thread was ready to run, but had no CPU: the second number. */
static uint64_t delay_ns(void)
{
	unsigned long long ran, delayed = 0;
	char text[64] = "";
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || sscanf(text, "%llu %llu", &ran, &delayed) != 2)
		exit(EXIT_FAILURE);
	close(fd);
	return delayed;
}

/* The time off the CPU, and the part of it in which the thread was ready to run. */
struct times {
	uint64_t off_ns, delayed_ns;
};

static struct times measured, at_start;
/* Off the CPU while the name was changed: it is not known under which one. */
static uint64_t unsure_ns;
static const char *measured_name;

static struct times times_now(void)
{
	uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	return (struct times){ clock_ns(CLOCK_MONOTONIC) - used, delay_ns() };
}

/* The clocks are not read at the same time, so the difference may be a little below 0. */
static void was_unsure(uint64_t from, uint64_t to)
{
	if (to > from)
		unsure_ns += to - from;
}

/* The thread has the name of the function while it is measured, and a moment before and after that. */
static void measure(const char *name)
{
	struct times before = times_now();

	prctl(PR_SET_NAME, name);
	measured_name = name;
	at_start = times_now();
	was_unsure(before.off_ns, at_start.off_ns);
}

static void measure_no_more(void)
{
	struct times now = times_now();

	prctl(PR_SET_NAME, "waits");
	was_unsure(now.off_ns, times_now().off_ns);
	measured.off_ns += now.off_ns - at_start.off_ns;
	measured.delayed_ns += now.delayed_ns - at_start.delayed_ns;
}

/* A child inherits the name, and would wait under it: it is created while nothing is measured. */
static pid_t fork_unmeasured(void)
{
	pid_t child;

	measure_no_more();
	child = fork();
	if (child)
		measure(measured_name);
	return child;
}

#endif
