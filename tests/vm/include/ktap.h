/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP for guest tests in C. Report each behaviour once, return done_testing() from main():
 *
 *	check(fd >= 0, "the device opens");
 *	is(errno, EINVAL, "an unknown flag is refused");
 *
 * Each test is one file, so everything is static. Not thread-safe: report from one thread only.
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

/* Prints a diagnostic line, also before the plan. */
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

/* Reports a case and returns @good, so that dependent cases can be skipped. */
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
	/* The report must reach the console even if the guest crashes. */
	fflush(stdout);
	return good;
}

/* Reports whether two numbers are equal. */
#define is(got, wanted, ...) do {						\
	long long got_ = (got), wanted_ = (wanted);				\
										\
	if (!check(got_ == wanted_, __VA_ARGS__))				\
		diag("got %lld, wanted %lld", got_, wanted_);			\
} while (0)

/* Reports whether the result of a system call is -1 with this errno. */
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

/* Ends the test if the condition is false. */
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
