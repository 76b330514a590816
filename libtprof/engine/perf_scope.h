/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The processes, threads and cgroups in the scope of the perf engine: maps in each filter object. The programs also
 * check the ancestors of a process. The map of tasks adds what they cannot see: children whose parents have exited.
 */
#ifndef TPROF_PERF_SCOPE_H
#define TPROF_PERF_SCOPE_H

#include <sys/types.h>

#include "filter/filter.h"

/* @root: the target to which it belongs, @id itself if it is one. Errors: E2BIG (the map is full). */
int perf_scope_add(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id, pid_t root);
/* The target to which it belongs; 0: it is not in scope. */
pid_t perf_scope_root(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);
void perf_scope_remove(const struct tprof_filter *filter, enum tprof_scope_kind kind, pid_t id);
/* Removes a process and all that belong to it. Returns their number, or -errno. */
int perf_scope_remove_all(const struct tprof_filter *filter, pid_t root);

/* Makes the processes and threads of @to those of @from. 0 or -errno. */
int perf_scope_copy(const struct tprof_filter *from, const struct tprof_filter *to);

/* Writes the list of cgroups. 0 or -errno. */
int perf_scope_set_cgroups(const struct tprof_filter *filter, const struct tprof_object *scope);

#endif
