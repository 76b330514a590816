/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The tables of a filter as they are described to people. */
#ifndef TPROF_FILTER_TYPES_H
#define TPROF_FILTER_TYPES_H

#include <stdint.h>

struct tprof_filter;

/* A type of the object as in C; to be freed. NULL: no memory. */
char *filter_type_text(const struct tprof_filter *filter, uint32_t type_id);

void filter_types_free(struct tprof_filter *filter);

#endif
