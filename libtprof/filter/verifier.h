/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Extracts from the verifier's log what the author of a filter can use. */
#ifndef TPROF_VERIFIER_H
#define TPROF_VERIFIER_H

#include <stddef.h>

/*
 * Writes at most eight lines, each with a newline: the last source lines, the rejected instruction, and the verifier's
 * message. @size is at least 1; lines that do not fit are left out whole.
 */
void verifier_trim(const char *log, char *out, size_t size);

/* Explains common causes in one plain sentence without a full stop; NULL for others. */
const char *verifier_explain(const char *log);

#endif
