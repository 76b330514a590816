/* SPDX-License-Identifier: GPL-2.0-only */
/* The lists of `tprof list`, one function each. */
#ifndef TPROF_LIST_H
#define TPROF_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tprof.h"

/* Where a list goes: lines of text, or the elements of an array. */
struct list {
	bool json;
	json_t *array;			/* NULL: there is no memory for all of it */
	size_t nr;			/* lines written */
	char *const *operands;		/* the name of the list and what else was given, up to NULL */
};

/* Adds an element; takes it. Returns 0 or -ENOMEM. */
int list_add(struct list *list, json_t *object);

/* Each returns the exit code. */
int list_functions(struct list *list);
int list_sessions(struct list *list);
int list_sources(struct list *list);
int list_running_filters(struct list *list);

/* All columns of a line of the module; what is a number becomes one. */
json_t *list_json(const struct tprof_listing *line);
/* One of them as text; "-" if it is not there. */
const char *list_value(const struct tprof_listing *line, const char *name);

#endif
