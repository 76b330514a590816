/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptions of filters: one filter in detail, or all filters with one line each. */
#ifndef TPROF_FILTER_ABOUT_H
#define TPROF_FILTER_ABOUT_H

#include <jansson.h>
#include <stdbool.h>

#include "tprof.h"

/* Prints name, tables (types, sizes, memory) and parameters, and warns about keys with padding. 0 or -ENOMEM. */
int filter_about_print(const struct tprof_filter *filter);
/* The same as JSON. NULL if memory is short. */
json_t *filter_about_json(const struct tprof_filter *filter);

/* Prints the filters that can be given by name. Returns the exit code. */
int filter_about_all(bool json);

#endif
