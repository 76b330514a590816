/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters described: one in detail, or all there are in a line each. */
#ifndef TPROF_FILTER_ABOUT_H
#define TPROF_FILTER_ABOUT_H

#include <jansson.h>
#include <stdbool.h>

#include "tprof.h"

/* Name, tables with types, sizes and memory, parameters; a warning for keys with holes. Returns 0 or -ENOMEM. */
int filter_about_print(const struct tprof_filter *filter);
/* NULL: no memory. */
json_t *filter_about_json(const struct tprof_filter *filter);

/* The filters that are found by name; returns the exit code. */
int filter_about_all(bool json);

#endif
