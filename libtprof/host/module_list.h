/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The lists that the module keeps in debugfs, read as text. */
#ifndef TPROF_MODULE_LIST_H
#define TPROF_MODULE_LIST_H

#include "tprof.h"

/* Columns that are looked at; the module has some ten. */
#define MODULE_LIST_COLUMNS_MAX 32

/*
 * Calls @fn for each line of a list but the first, which has the names of the columns; until it returns something else
 * than 0, and returns that. Columns that a line lacks are empty. @text is changed.
 */
int module_list_parse(char *text, int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx);

#endif
