// SPDX-License-Identifier: GPL-2.0-only
/*
 * many_stacks SECONDS THREADS: spends the same time in each of 2^11 call stacks, in random order, a tenth of a
 * millisecond at a time. Samples are at several addresses in each of them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 11

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static __attribute__((noinline)) void leaf(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

static __attribute__((noinline)) void left(uint64_t path, int depth);
static __attribute__((noinline)) void right(uint64_t path, int depth);

static inline __attribute__((always_inline)) void go(uint64_t path, int depth)
{
	if (!depth)
		leaf();
	else if (path & 1)
		right(path >> 1, depth - 1);
	else
		left(path >> 1, depth - 1);
	/* Code after the call prevents a tail call. */
	__asm__ volatile("");
}

static void left(uint64_t path, int depth)
{
	go(path, depth);
}

static void right(uint64_t path, int depth)
{
	go(path, depth);
}

static double end;

static void *walk(void *seed)
{
	/* xorshift */
	uint64_t x = 88172645463325252u + (uintptr_t)seed;

	while (now() < end) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		left(x, DEPTH);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 2 ? atol(argv[2]) : 1;
	pthread_t thread;

	end = now() + (argc > 1 ? atof(argv[1]) : 1);
	for (long i = 1; i < threads; i++) {
		if (pthread_create(&thread, NULL, walk, (void *)i))
			return EXIT_FAILURE;
	}
	walk(NULL);
	return EXIT_SUCCESS;
}
