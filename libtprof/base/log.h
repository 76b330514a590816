/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Writing to the log callback of a session. */
#ifndef TPROF_LOG_H
#define TPROF_LOG_H

#include "tprof.h"

/* NULL or a zeroed struct discards all messages. */
struct log {
	tprof_log_fn fn;
	void *ctx;
};

void log_write(const struct log *log, enum tprof_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#define log_warn(log, ...) log_write(log, TPROF_LOG_WARN, __VA_ARGS__)
#define log_info(log, ...) log_write(log, TPROF_LOG_INFO, __VA_ARGS__)
#define log_debug(log, ...) log_write(log, TPROF_LOG_DEBUG, __VA_ARGS__)

#endif
