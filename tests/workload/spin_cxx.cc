// SPDX-License-Identifier: GPL-2.0-only
/*
 * The workload of spin.c in C++: work::chain<unsigned long>::hot(), warm() and mild() do 50, 30 and 20 % of
 * the work; their names must be demangled. Ends by itself: spin_cxx [SECONDS], 60 by default.
 */
#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace work {

template <typename Word> struct chain {
	template <Word addend> static Word run(Word value, Word iterations);

	static Word hot(Word value, Word iterations);
	static Word warm(Word value, Word iterations);
	static Word mild(Word value, Word iterations);
};

template <typename Word> template <Word addend>
inline __attribute__((always_inline)) Word chain<Word>::run(Word value, Word iterations)
{
	/* A variable on the stack: else gcc makes no frame for the function, and its caller would be missing. */
	volatile Word start = value;

	value = start;
	for (Word i = 0; i < iterations; i++)
		value = value * 6364136223846793005ULL + addend;
	return value;
}

template <typename Word>
__attribute__((noinline)) Word chain<Word>::hot(Word value, Word iterations)
{
	return run<1442695040888963407ULL>(value, iterations);
}

template <typename Word>
__attribute__((noinline)) Word chain<Word>::warm(Word value, Word iterations)
{
	return run<1442695040888963409ULL>(value, iterations);
}

template <typename Word>
__attribute__((noinline)) Word chain<Word>::mild(Word value, Word iterations)
{
	return run<1442695040888963411ULL>(value, iterations);
}

} // namespace work

int main(int argc, char **argv)
{
	using clock = std::chrono::steady_clock;
	using chain = work::chain<std::uint64_t>;

	const int seconds = argc > 1 ? std::atoi(argv[1]) : 60;
	const auto deadline = clock::now() + std::chrono::seconds(seconds);
	std::uint64_t value = 1;

	while (clock::now() < deadline) {
		const std::uint64_t unit = 20000 + (value >> 32) % 40000;

		value = chain::hot(value, 5 * unit);
		value = chain::warm(value, 3 * unit);
		value = chain::mild(value, 2 * unit);
	}
	return value == 42; /* never: the value is used, so the work has to be done */
}
