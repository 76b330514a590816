/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP for guest tests in C. Report each behaviour once, return done_testing() from main():
 *
 *	check(fd >= 0, "the device opens");
 *	is(errno, EINVAL, "an unknown flag is refused");
 *
 * One file each: everything is static. Nothing is for threads: report from one of them.
 */
#ifndef TPROF_TESTS_KTAP_H
#define TPROF_TESTS_KTAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ktap_count;
static int ktap_failed;

/* A line that explains; goes before the plan as well. */
__attribute__((format(printf, 1, 2), unused))
static void diag(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* Returns @good, so that what follows from it can be left out. */
__attribute__((format(printf, 2, 3), unused))
static bool check(bool good, const char *format, ...)
{
	va_list args;

	if (!ktap_count)
		printf("KTAP version 1\n");
	ktap_failed += !good;
	printf("%sok %d ", good ? "" : "not ", ++ktap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	/* Whatever becomes of the guest, this much was said. */
	fflush(stdout);
	return good;
}

/* Two numbers that have to be the same. */
#define is(got, wanted, ...) do {						\
	long long got_ = (got), wanted_ = (wanted);				\
										\
	if (!check(got_ == wanted_, __VA_ARGS__))				\
		diag("got %lld, wanted %lld", got_, wanted_);			\
} while (0)

/* A system call's result: has to be -1 with this errno. */
#define refuses(call, error, ...) do {						\
	long long result_, error_;						\
										\
	errno = 0;								\
	result_ = (call);							\
	error_ = errno;								\
	if (!check(result_ == -1 && error_ == (error), __VA_ARGS__))		\
		diag("result %lld, errno %lld (%s), wanted %s", result_, error_,\
		     strerror(error_), strerror(error));			\
} while (0)

/* For what must not fail, so that the test can go on. */
#define need(condition, ...) do {						\
	if (!(condition)) {							\
		int error_ = errno;						\
										\
		check(false, __VA_ARGS__);					\
		diag("%s: %s", #condition, strerror(error_));			\
		exit(done_testing());						\
	}									\
} while (0)

__attribute__((unused))
static int done_testing(void)
{
	printf("1..%d\n", ktap_count);
	fflush(stdout);
	return ktap_failed ? 1 : 0;
}

#endif
