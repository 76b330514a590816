// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The log callback of a session. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

void log_write(const struct log *log, enum tprof_log_level level, const char *format, ...)
{
	char message[1024];
	va_list args;

	if (!log || !log->fn)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	message[strcspn(message, "\n")] = '\0';
	utf8_clean(message);
	log->fn(log->ctx, level, message);
}
