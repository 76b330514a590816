// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload that sleeps most of the time and works in bursts, each as long as chance has it: bursts SECONDS. Seven
 * bursts of eight are light(), and a quarter of a millisecond on average; the eighth is heavy(), and two. Samplers that
 * wake with it, or miss what is over soon, see too little of light().
 *
 * The truth is what it prints at the end: "light NS" and "heavy NS", the CPU time that each of them had, by the clock
 * of the thread. It then waits to be killed: some tools name only what is still there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC	1000000000ULL
#define STEPS		1000		/* some microseconds, beside which a look at the clock is short */
#define LIGHT_NS	500000		/* at most; half of it on average */
#define HEAVY_NS	4000000
#define SLEEP_NS	2000000

static volatile uint64_t sink;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* Each has a constant of its own, or they would be one function. */
#define DEFINE_WORK(name, addend)								\
	__attribute__((noipa)) static void name(uint64_t until_ns)				\
	{											\
		uint64_t value = sink;								\
												\
		while (clock_ns(CLOCK_MONOTONIC) < until_ns) {					\
			for (unsigned int i = 0; i < STEPS; i++)				\
				value = value * 6364136223846793005ULL + (addend);		\
		}										\
		sink = value;									\
	}

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
