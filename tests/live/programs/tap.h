/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of a test program as TAP. */
#ifndef TPROF_TESTS_TAP_H
#define TPROF_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int nr_told, nr_failed;

static void __attribute__((format(printf, 2, 3))) tell(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %d - ", good ? "" : "not ", ++nr_told);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
	nr_failed += !good;
}

#endif
