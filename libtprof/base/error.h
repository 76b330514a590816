/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Sentences for failures, as utf8_clean() leaves them. Every function takes NULL for the error and then only passes the
 * number on.
 */
#ifndef TPROF_ERROR_H
#define TPROF_ERROR_H

#include "tprof.h"

/* Sets the sentence, clears the hint, returns -err (err > 0). */
int error_set(struct tprof_error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds the hint to the sentence just set. */
void error_hint(struct tprof_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds what to do about EMFILE, if it is that. */
void error_hint_files(struct tprof_error *error, int err);

#endif
