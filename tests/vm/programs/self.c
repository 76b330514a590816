// SPDX-License-Identifier: GPL-2.0-only
/*
 * self EVENT...: counts two loops of this thread, the second one three times as long, and prints how the counters are
 * read, and for each event both differences.
 */
#include <stdio.h>
#include <tprof.h>

__attribute__((noipa)) static void loop(long rounds)
{
	for (volatile long i = 0; i < rounds; i++)
		;
}

int main(int argc, char **argv)
{
	struct tprof_error error = { 0 };
	TPROF_OPTS(tprof_self_opts, opts, .events = (const char *const *)argv + 1, .nr_events = (size_t)argc - 1);
	struct tprof_self *self = tprof_self__open(&opts, &error);
	uint64_t values[3][TPROF_SELF_MAX_EVENTS];

	if (!self) {
		printf("%s\n", error.text);
		return 1;
	}
	printf("%s\n", tprof_self__is_direct(self) ? "direct" : "read");
	tprof_self__read(self, values[0]);
	loop(1000000);
	tprof_self__read(self, values[1]);
	loop(3000000);
	if (tprof_self__read(self, values[2])) {
		puts("no counter was free");
		return 1;
	}
	for (int i = 0; i + 1 < argc; i++)
		printf("%s %llu %llu\n", tprof_self__event(self, (size_t)i),
		       (unsigned long long)(values[1][i] - values[0][i]),
		       (unsigned long long)(values[2][i] - values[1][i]));
	tprof_self__close(self);
	return 0;
}
