// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload in step with a clock, which traps samplers that are in step with it, too: in_step HZ SECONDS. In each
 * period of 1/HZ, first() works for two fifths of it, second() for the next two, and then it sleeps until the clock
 * strikes. Who samples at the same rate finds it in the same place each time: in one of the functions, or asleep.
 * The period is as many nanoseconds as that of a timer with this rate, rounded down.
 *
 * Stays on the CPU that it began on. The truth is what it prints at the end: "first NS" and "second NS", the CPU time
 * that each of them had, by the clock of the thread; half and half, but for what others took of the CPU. It then
 * waits to be killed: some tools name only what is still there.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "until.h"

DEFINE_WORK(first, 1442695040888963407ULL)
DEFINE_WORK(second, 1442695040888963409ULL)

static void stay(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void sleep_until(uint64_t at_ns)
{
	struct timespec at = { .tv_sec = (time_t)(at_ns / NSEC_PER_SEC), .tv_nsec = (long)(at_ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

int main(int argc, char **argv)
{
	uint64_t had[2] = { 0 }, period, end, strike;
	long rate_hz = argc == 3 ? atol(argv[1]) : 0, seconds = argc == 3 ? atol(argv[2]) : 0;

	if (rate_hz <= 0 || seconds <= 0) {
		fprintf(stderr, "usage: in_step HZ SECONDS\n");
		return 2;
	}
	stay();
	period = NSEC_PER_SEC / (uint64_t)rate_hz;
	strike = clock_ns(CLOCK_MONOTONIC);
	end = strike + (uint64_t)seconds * NSEC_PER_SEC;
	while (strike < end) {
		uint64_t began, between, now = clock_ns(CLOCK_MONOTONIC);

		/* Those that others made it miss are left out, not made up for. */
		strike += (now > strike ? (now - strike) / period + 1 : 1) * period;
		sleep_until(strike);
		began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		first(strike + period * 2 / 5);
		between = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		second(strike + period * 4 / 5);
		had[0] += between - began;
		had[1] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - between;
	}
	printf("first %llu\nsecond %llu\n", (unsigned long long)had[0], (unsigned long long)had[1]);
	fflush(stdout);
	pause();
	return 0;
}
