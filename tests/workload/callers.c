// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload with known callers: shared() does all the work, three quarters of it for often() and one for seldom(). A
 * round takes about a tenth of a millisecond, with a random length, so that no sampling rate is synchronous with it.
 * Ends by itself: callers [SECONDS], 60 by default.
 */
#include <stdlib.h>

#include "clock.h"

#define UNIT_MIN	10000	/* iterations */
#define UNIT_SPAN	20000

uint64_t shared(uint64_t value, uint64_t iterations);
uint64_t often(uint64_t value, uint64_t iterations);
uint64_t seldom(uint64_t value, uint64_t iterations);

/* A variable on the stack: else gcc makes no frame for the function, and its caller would be missing. */
__attribute__((noipa)) uint64_t shared(uint64_t value, uint64_t iterations)
{
	volatile uint64_t start = value;

	value = start;
	for (uint64_t i = 0; i < iterations; i++)
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
	return value;
}

__attribute__((noipa)) uint64_t often(uint64_t value, uint64_t iterations)
{
	return shared(value, 3 * iterations) + 1;
}

__attribute__((noipa)) uint64_t seldom(uint64_t value, uint64_t iterations)
{
	return shared(value, iterations) + 2;
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? (uint64_t)atoi(argv[1]) : 60;
	uint64_t value = 1, unit, end;

	end = clock_ns(CLOCK_MONOTONIC) + seconds * NSEC_PER_SEC;
	do {
		unit = UNIT_MIN + (value >> 32) % UNIT_SPAN;
		value = seldom(often(value, unit), unit);
	} while (clock_ns(CLOCK_MONOTONIC) < end);
	return (int)(value & 1);
}
