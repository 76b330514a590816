/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters described: one in detail, or all there are in a line each. */
#ifndef TPROF_FILTER_ABOUT_H
#define TPROF_FILTER_ABOUT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "tprof.h"

/* Name, tables with types, sizes and memory, parameters; a warning for keys with holes. */
void filter_about_print(const struct tprof_filter *filter);
struct json_object *filter_about_json(const struct tprof_filter *filter);

/* The filters that are found by name; returns the exit code. */
int filter_about_all(bool json);

#endif
