/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The verifier's log, cut down to what a filter's author can use. */
#ifndef TPROF_VERIFIER_H
#define TPROF_VERIFIER_H

#include <stddef.h>

/*
 * Writes at most eight lines, each ended by a newline: the last source lines, the instruction that was refused,
 * and what the verifier says about it. @size is at least 1; what does not fit is left out by whole lines.
 */
void verifier_trim(const char *log, char *out, size_t size);

/* The usual causes in one plain sentence without a full stop, or NULL. */
const char *verifier_explain(const char *log);

#endif
