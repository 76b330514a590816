/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The processes and threads in the scope of the perf engine: a map in each filter object. The programs also check the
 * ancestors of a process. This map adds what they cannot see: children whose parents have exited.
 */
#ifndef TPROF_PERF_SCOPE_H
#define TPROF_PERF_SCOPE_H

#include <sys/types.h>

#include "filter/filter.h"

/* Errors: E2BIG (the map is full). */
int perf_scope_add(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);
bool perf_scope_has(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);
void perf_scope_remove(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);

#endif
