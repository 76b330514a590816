/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Error sentences. The text is cleaned with utf8_clean(). @error may be NULL everywhere: the functions then only return
 * the error number.
 */
#ifndef TPROF_ERROR_H
#define TPROF_ERROR_H

#include "tprof.h"

/* Sets the sentence and clears the hint. @err is positive; returns -@err. */
int error_set(struct tprof_error *error, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds a hint to the sentence that was set last. */
void error_hint(struct tprof_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* If @err is EMFILE, adds a hint on how to raise the limit of open files. */
void error_hint_files(struct tprof_error *error, int err);

#endif
