/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages on stderr: errors, in the form `tprof: what: why` and `hint: what to do`, and the handling of failed writes
 * to stdout.
 */
#ifndef TPROF_OUT_H
#define TPROF_OUT_H

#include "tprof.h"

/* Prints an error message. The hint may be NULL or empty. No full stop at the end. */
void out_error(const char *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a usage error; returns EXIT_USAGE. */
int out_usage(const char *hint, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Replaces what could control the terminal by question marks, in place. out_error() and out_note() do this, too. */
void out_clean(char *text);

/* Prints what is not an error on stderr, as `tprof: text`. */
void out_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit code for an errno of the library (positive or negative). */
int out_exit_code(int err);

/* Print the error message of the library, and return the exit code for err. */
int out_error_of(const struct tprof_error *error, int err);
int out_error_of_session(const struct tprof_session *session, int err);
int out_error_of_filter(const struct tprof_filter *filter, int err);

/* The hint for EFBIG: the file exceeds RLIMIT_FSIZE. */
#define OUT_SIZE_HINT "raise the limit on file sizes: ulimit -f, or LimitFSIZE= of a service"

/* The hint for a write that failed with this errno, or NULL. */
const char *out_write_hint(int err);

/*
 * Returns the exit code for the result of writing to stdout (0 or an errno), after reporting an error. EPIPE is neither
 * an error nor reported: the reader closed the pipe, as in `| head`. ENOMEM means that the output could not be
 * prepared.
 */
int out_written(int err);
/* Flushes stdout and returns like out_written(). Subcommands that use printf() end with this call. */
int out_finish(void);

#endif
