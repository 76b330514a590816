/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Text of keys and values with the session's knowledge: symbols, process names, cgroup paths, call stacks. */
#ifndef TPROF_COLLECT_WORDS_H
#define TPROF_COLLECT_WORDS_H

#include "collect.h"

/* Formats a key or value. The text is valid until the next call. NULL: no memory for all of it. */
const char *collect_words(struct collector *collector, const struct value_layout *layout, const void *data);

/*
 * Adds the members of a key or value to @cells, which has capacity for VALUE_MAX_MEMBERS more, and their number to @nr.
 * Texts belong to the profile being built. 0 or -ENOMEM.
 */
int collect_cells(struct collector *collector, const struct value_layout *layout, const void *data, bool is_value,
		  struct tprof_cell *cells, size_t *nr);

/* As collect_words(), from the cells of a key or value. */
const char *collect_words_of_cells(struct collector *collector, const struct value_layout *layout,
				   const struct tprof_cell *cells);

/*
 * Sets *series, which is NULL, to the key without its first bucket if it has one: the name of its histogram. The text
 * belongs to the profile being built. 0 or -ENOMEM.
 */
int collect_series(struct collector *collector, const struct value_layout *layout, const struct tprof_cell *cells,
		   const char **series);

#endif
