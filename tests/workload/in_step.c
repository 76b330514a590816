// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that is synchronous with a clock: in_step HZ SECONDS. In each period of 1/HZ, first() works for two fifths
 * of the period, second() for the next two, and then it sleeps until the next period. A sampler with the same rate
 * always finds it in the same place: in one of the functions, or asleep. The period in nanoseconds is rounded down,
 * like that of a timer with this rate.
 *
 * Stays on the CPU on which it started. At the end it prints the truth, "first NS" and "second NS": the CPU time of
 * each function, from the clock of the thread; one half each, unless other processes used the CPU. Then it waits to be
 * killed, because some tools only symbolize processes that still exist.
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

		/* Periods that were missed because of other processes are skipped. */
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
