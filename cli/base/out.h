/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the command says: errors on stderr as `tprof: what: why` and `hint: what to do`, and what becomes of
 * a write to stdout that failed.
 */
#ifndef TPROF_OUT_H
#define TPROF_OUT_H

#include "tprof.h"

/* Says it; hint may be NULL or empty. No full stop at the end. */
void out_error(const char *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a wrong call of tprof; returns EXIT_USAGE. */
int out_usage(const char *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit code for an error of the library, by its number (positive or negative). */
int out_exit_code(int err);

/* Says the sentence of the library and returns the exit code for err. */
int out_error_of(const struct tprof_error *error, int err);
int out_error_of_session(const struct tprof_session *session, int err);
int out_error_of_filter(const struct tprof_filter *filter, int err);

/* Of EFBIG: a file may not become as large. */
#define OUT_SIZE_HINT "raise the limit of the size of files, as ulimit -f or LimitFSIZE= of a service has it"

/* A hint for a write that failed with that errno, or NULL. */
const char *out_write_hint(int err);

/*
 * The exit code after writing to stdout: 0 or -errno goes in. A reader that went away (EPIPE: `| head`) is
 * no failure and not worth a word; everything else is. Of ENOMEM, what was to be written is the cause.
 */
int out_written(int err);
/* Flushes stdio's stdout and says what out_written() says. For the end of subcommands that use printf(). */
int out_finish(void);

#endif
