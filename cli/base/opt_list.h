/* SPDX-License-Identifier: GPL-2.0-only */
/* Options whose values are lists, or that may be repeated. */
#ifndef TPROF_OPT_LIST_H
#define TPROF_OPT_LIST_H

#include <stddef.h>
#include <sys/types.h>

#include "opt.h"

/* Zeroed structs are empty lists. Their arrays are freed by the caller. */
struct opt_ids {
	pid_t *ids;
	size_t nr, capacity;
};

struct opt_texts {
	const char **texts;	/* point into argv */
	size_t nr, capacity;
};

/* Appends the ids of a list "1,2,3". Returns like opt_number(). */
int opt_add_ids(const struct opt *opt, const char *value, struct opt_ids *ids);
/* Appends the whole value. Returns 0, or the exit code after reporting that memory is exhausted. */
int opt_add_text(const char *value, struct opt_texts *texts);

#endif
