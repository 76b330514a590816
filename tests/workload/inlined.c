// SPDX-License-Identifier: GPL-2.0-only
/* Spends its time in code that is inlined through two functions: inlined SECONDS. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define INLINED static inline __attribute__((always_inline))

static volatile uint64_t sink;

INLINED uint64_t innermost(uint64_t x)
{
	/* Two lines with equal shares: samples are in the multiplications, hardly ever in the loop. */
	for (int i = 0; i < 1000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		x = x * 3935559000370003845u + 2691343689449507681u;
	}
	return x;
}

INLINED uint64_t middle(uint64_t x)
{
	return innermost(x) + 1;
}

uint64_t outer(uint64_t x);
__attribute__((noinline)) uint64_t outer(uint64_t x)
{
	for (int i = 0; i < 1000; i++)
		x = middle(x);
	/* The compiler only makes a frame if something is on the stack. */
	sink += x;
	return x;
}

int main(int argc, char **argv)
{
	clock_t end = (clock_t)(strtod(argc > 1 ? argv[1] : "1", NULL) * CLOCKS_PER_SEC);

	while (clock() < end)
		outer((uint64_t)end);
	return 0;
}
