// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Error sentences. */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "utf8.h"

/*
 * The arguments may come from untrusted files and the result goes to terminals. vsnprintf() can also cut a UTF-8
 * character in two.
 */
static void put(char *into, size_t size, const char *format, va_list args)
{
	vsnprintf(into, size, format, args);
	utf8_clean(into);
}

int error_set(struct tprof_error *error, int err, const char *format, ...)
{
	va_list args;

	if (error) {
		va_start(args, format);
		put(error->text, sizeof(error->text), format, args);
		va_end(args);
		error->hint[0] = '\0';
	}
	return -err;
}

void error_hint(struct tprof_error *error, const char *format, ...)
{
	va_list args;

	if (!error)
		return;
	va_start(args, format);
	put(error->hint, sizeof(error->hint), format, args);
	va_end(args);
}

void error_hint_files(struct tprof_error *error, int err)
{
	if (err == EMFILE)
		error_hint(error, "raise the limit of open files: ulimit -Hn, or LimitNOFILE= of a service");
}
