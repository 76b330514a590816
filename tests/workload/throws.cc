// SPDX-License-Identifier: GPL-2.0-only
/*
 * A workload with known call stacks and exceptions: main() -> run() -> attempt<3>() -> ... -> attempt<0>(), which
 * throws. While the stack unwinds, the destructor of guard works, called by attempt<2>(); then caught() works, called
 * by run(). Ends by itself: throws [CPU-SECONDS], 10 by default.
 */
#include <cstdint>
#include <cstdlib>
#include <ctime>

#define STEPS 200000

static volatile uint64_t sink;

static inline __attribute__((always_inline)) void burn()
{
	uint64_t value = sink;

	for (unsigned int i = 0; i < STEPS; i++)
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
	sink = value;
}

struct guard {
	__attribute__((noipa)) ~guard() { burn(); }
};

template <int N> __attribute__((noipa)) void attempt(const char *why)
{
	attempt<N - 1>(why);
	sink = sink + N;
}

template <> __attribute__((noipa)) void attempt<0>(const char *why)
{
	throw why;
}

template <> __attribute__((noipa)) void attempt<2>(const char *why)
{
	guard on_the_way_out;

	attempt<1>(why);
	sink = sink + 2;
}

__attribute__((noipa)) void caught(const char *)
{
	burn();
}

__attribute__((noipa)) void run()
{
	try {
		attempt<3>("no way");
	} catch (const char *why) {
		caught(why);
	}
}

int main(int argc, char **argv)
{
	const std::clock_t end = (argc > 1 ? std::atoi(argv[1]) : 10) * CLOCKS_PER_SEC;

	do {
		run();
	} while (std::clock() < end);
}
