// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload with a known call stack: main() calls even(), which calls odd(), which calls even(), to a depth of DEPTH,
 * and the last of them calls bottom(), which does the work. The two functions alternate, so that a missing or a
 * duplicate frame is visible. Ends by itself: calls [DEPTH [SECONDS]], 10 and 60 by default.
 */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

#define MAX_DEPTH 100000	/* 48 bytes of stack each, of the usual 8 MiB */

/* The work in bottom() takes some milliseconds, much longer than the recursion. */
#define WORK_ITERATIONS 4000000

uint64_t even(uint64_t value, unsigned int depth);
uint64_t odd(uint64_t value, unsigned int depth);
uint64_t bottom(uint64_t value);

/* A variable on the stack: else gcc makes no frame for the function, and its caller would be missing. */
__attribute__((noipa)) uint64_t bottom(uint64_t value)
{
	volatile uint64_t seed = value;

	value = seed;
	for (uint64_t i = 0; i < WORK_ITERATIONS; i++)
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
	return value;
}

__attribute__((noipa)) uint64_t even(uint64_t value, unsigned int depth)
{
	return (depth ? odd(value, depth - 1) : bottom(value)) + 1;
}

__attribute__((noipa)) uint64_t odd(uint64_t value, unsigned int depth)
{
	return (depth ? even(value, depth - 1) : bottom(value)) + 2;
}

static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!*text || *end || !value || value > most) {
		fprintf(stderr, "calls: '%s' is not a number from 1 to %u\n", text, most);
		exit(2);
	}
	return (unsigned int)value;
}

int main(int argc, char **argv)
{
	unsigned int depth = argc > 1 ? number(argv[1], MAX_DEPTH) : 10;
	unsigned int seconds = argc > 2 ? number(argv[2], 3600) : 60;
	uint64_t value = 1, end;

	end = clock_ns(CLOCK_MONOTONIC) + seconds * NSEC_PER_SEC;
	do {
		/* This call of even() counts for @depth. */
		value = even(value, depth - 1);
	} while (clock_ns(CLOCK_MONOTONIC) < end);
	return value == 42;	/* never: the value is used, so the work has to be done */
}
