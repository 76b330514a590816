/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* A set of strings, each stored once. Stored strings do not move until the set is freed. */
#ifndef TPROF_INTERN_H
#define TPROF_INTERN_H

#include <stddef.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *intern);

/* Returns the stored copy of @string, or NULL if memory is exhausted. */
const char *intern_string(struct intern *intern, const char *string);

/* The same for a name to be displayed: it is cleaned with utf8_clean() first. */
const char *intern_name(struct intern *intern, const char *name);

/* Memory use of the set. */
size_t intern_bytes(const struct intern *intern);

#endif
