// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that mostly sleeps and works in bursts of random length: bursts SECONDS [LIGHT_US [SLEEP_US]]. Seven of
 * eight bursts are light(), on average a quarter of a millisecond, or half of LIGHT_US; the eighth is heavy(), on
 * average two milliseconds. The average sleep is one millisecond, or half of SLEEP_US. Samplers that wake together with
 * it, or miss short bursts, have too few samples of light().
 *
 * At the end it prints the truth, "light NS" and "heavy NS": the CPU time of each function, from the clock of the
 * thread. Then it waits to be killed, because some tools only symbolize processes that still exist.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "until.h"

/* Maxima; the averages are half of them. */
#define LIGHT_US	500
#define HEAVY_US	4000
#define SLEEP_US	2000

DEFINE_WORK(light, 1442695040888963407ULL)
DEFINE_WORK(heavy, 1442695040888963409ULL)

/* Returns a random time below @most_us, in nanoseconds */
static uint64_t chance_ns(long most_us)
{
	return (uint64_t)(random() % (most_us * 1000));
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? atol(argv[1]) : 0;
	long light_us = argc > 2 ? atol(argv[2]) : LIGHT_US, sleep_us = argc > 3 ? atol(argv[3]) : SLEEP_US;
	uint64_t had[2] = { 0 }, end;

	if (argc > 4 || seconds <= 0 || light_us <= 0 || sleep_us <= 0 || sleep_us > 1000000) {
		fprintf(stderr, "usage: bursts SECONDS [LIGHT_US [SLEEP_US]]\n");
		return 2;
	}
	srandom((unsigned int)clock_ns(CLOCK_MONOTONIC));
	end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)seconds * NSEC_PER_SEC;
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		struct timespec pause = { .tv_nsec = (long)chance_ns(sleep_us) };
		int which = random() % 8 == 0;
		uint64_t began;

		nanosleep(&pause, NULL);
		began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (which)
			heavy(clock_ns(CLOCK_MONOTONIC) + chance_ns(HEAVY_US));
		else
			light(clock_ns(CLOCK_MONOTONIC) + chance_ns(light_us));
		had[which] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	printf("light %llu\nheavy %llu\n", (unsigned long long)had[0], (unsigned long long)had[1]);
	fflush(stdout);
	pause();
	return 0;
}
