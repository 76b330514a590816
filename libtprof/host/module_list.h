/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Parses the lists that the kernel module exports in debugfs. */
#ifndef TPROF_MODULE_LIST_H
#define TPROF_MODULE_LIST_H

#include "tprof.h"

/* Limit for the columns that are read; the module writes about ten. */
#define MODULE_LIST_COLUMNS_MAX 32

/*
 * Calls @fn for each line except the first, which holds the column names, until @fn returns a nonzero value, and
 * returns that value. Missing columns are empty strings. Modifies @text.
 */
int module_list_parse(char *text, int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx);

#endif
