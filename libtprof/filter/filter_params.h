/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Constants of a filter object that can be set before it is loaded: TPROF_PARAM(). */
#ifndef TPROF_FILTER_PARAMS_H
#define TPROF_FILTER_PARAMS_H

#include <stdint.h>

struct tprof_error;
struct tprof_filter;

/* Offset of a variable in .rodata. Errors: ENOENT. */
int rodata_find(const struct tprof_filter *filter, const char *name, uint32_t *offset);

/* Errors: ENOMEM. */
int filter_params_find(struct tprof_filter *filter);
void filter_params_free(struct tprof_filter *filter);

/* Whether copies of stacks (TPROF_COPIES) may have this size. Errors: EINVAL, with a sentence. */
int filter_check_copy_bytes(const struct tprof_filter *filter, uint64_t bytes, struct tprof_error *error);

#endif
