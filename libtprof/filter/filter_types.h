/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Descriptions of a filter's tables, for users. */
#ifndef TPROF_FILTER_TYPES_H
#define TPROF_FILTER_TYPES_H

struct tprof_filter;

void filter_types_free(struct tprof_filter *filter);

#endif
