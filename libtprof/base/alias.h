/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Chooses the name to show for a function that has several. Used for kernel functions and for functions of files. */
#ifndef TPROF_ALIAS_H
#define TPROF_ALIAS_H

#include <stdbool.h>
#include <string.h>

/*
 * The same rule as perf: prefer fewer leading underscores, then the longer name (a symbol version such as
 * "@@GLIBC_2.14" does not count), then alphabetical order.
 */
static inline bool alias_is_better(const char *a, const char *b)
{
	size_t a_length = strcspn(a, "@"), b_length = strcspn(b, "@");
	size_t a_underscores = strspn(a, "_"), b_underscores = strspn(b, "_");

	if (a_underscores != b_underscores)
		return a_underscores < b_underscores;
	if (a_length != b_length)
		return a_length > b_length;
	return strcmp(a, b) < 0;
}

#endif
