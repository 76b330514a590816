// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that sleeps most of the time and works in bursts, each as long as chance has it: bursts SECONDS. Seven
 * bursts of eight are light(), and a quarter of a millisecond on average; the eighth is heavy(), and two. Samplers that
 * wake with it, or miss what is over soon, see too little of light().
 *
 * The truth is what it prints at the end: "light NS" and "heavy NS", the CPU time that each of them had, by the clock
 * of the thread. It then waits to be killed: some tools name only what is still there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "until.h"

#define LIGHT_NS	500000		/* at most; half of it on average */
#define HEAVY_NS	4000000
#define SLEEP_NS	2000000

DEFINE_WORK(light, 1442695040888963407ULL)
DEFINE_WORK(heavy, 1442695040888963409ULL)

int main(int argc, char **argv)
{
	long seconds = argc == 2 ? atol(argv[1]) : 0;
	uint64_t had[2] = { 0 }, end;

	if (seconds <= 0) {
		fprintf(stderr, "usage: bursts SECONDS\n");
		return 2;
	}
	srandom((unsigned int)clock_ns(CLOCK_MONOTONIC));
	end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)seconds * NSEC_PER_SEC;
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		struct timespec pause = { .tv_nsec = random() % SLEEP_NS };
		int which = random() % 8 == 0;
		uint64_t began;

		nanosleep(&pause, NULL);
		began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (which)
			heavy(clock_ns(CLOCK_MONOTONIC) + (uint64_t)random() % HEAVY_NS);
		else
			light(clock_ns(CLOCK_MONOTONIC) + (uint64_t)random() % LIGHT_NS);
		had[which] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	printf("light %llu\nheavy %llu\n", (unsigned long long)had[0], (unsigned long long)had[1]);
	fflush(stdout);
	pause();
	return 0;
}
