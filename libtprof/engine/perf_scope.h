/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Processes and threads that the programs of the perf engine look for: a map in each filter object. The programs also
 * look up the line of ancestors; what is added here is what they cannot see: children whose parents are gone already.
 */
#ifndef TPROF_PERF_SCOPE_H
#define TPROF_PERF_SCOPE_H

#include <sys/types.h>

#include "filter/filter.h"

/* Errors: E2BIG (no room). */
int perf_scope_add(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);
bool perf_scope_has(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);
void perf_scope_remove(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);

#endif
