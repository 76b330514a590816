/* SPDX-License-Identifier: GPL-2.0-only */
/* Common functions of the programs that run in emulated machines (guest.sh). */
#ifndef TPROF_BENCH_GUEST_H
#define TPROF_BENCH_GUEST_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MS	1000000ULL		/* in nanoseconds */

/* Prints an error to standard output, which is the console of the guest, and exits. */
__attribute__((format(printf, 1, 2), noreturn))
static inline void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%s: ", program_invocation_short_name);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
	exit(EXIT_FAILURE);
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
