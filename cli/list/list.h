/* SPDX-License-Identifier: GPL-2.0-only */
/* The lists of `tprof list`, one function each. */
#ifndef TPROF_LIST_H
#define TPROF_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tprof.h"

/* The output of a list: lines of text, or the elements of a JSON array. */
struct list {
	bool json;
	json_t *array;			/* NULL after running out of memory */
	size_t nr;			/* lines written */
	char *const *operands;		/* the name of the list and its arguments, NULL-terminated */
};

/* Adds an element, and takes its reference. 0 or -ENOMEM. */
int list_append(struct list *list, json_t *object);

/* Each returns the exit code. */
int list_functions(struct list *list);
int list_sessions(struct list *list);
int list_sources(struct list *list);
int list_running_filters(struct list *list);

/* All columns of a line from the module; numeric text becomes a JSON number. */
json_t *list_json(const struct tprof_listing *line);
/* One column as text; "-" if it is absent. */
const char *list_value(const struct tprof_listing *line, const char *name);

#endif
