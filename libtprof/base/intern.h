/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Strings kept once each; a string stays where it is until the set is freed. */
#ifndef TPROF_INTERN_H
#define TPROF_INTERN_H

#include <stddef.h>

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *intern);

/* The kept copy of @string; NULL if there is no memory for it. */
const char *intern_string(struct intern *intern, const char *string);

/* The same for a name that will be shown, as utf8_clean() leaves it. */
const char *intern_name(struct intern *intern, const char *name);

/* What it takes of memory. */
size_t intern_bytes(const struct intern *intern);

#endif
