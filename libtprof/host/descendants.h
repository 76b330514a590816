/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Finds the descendants of the sampled processes in /proc. */
#ifndef TPROF_DESCENDANTS_H
#define TPROF_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "targets.h"

/*
 * Calls @add for each process that descends from a target, @root, and is not a target itself. Rescans /proc until no
 * further one is found: a process that was added is followed together with all its children. Returns 0, the first
 * nonzero result of @add except -ESRCH (the process has exited, which is not an error), or -errno of reading /proc. On
 * failure of @add, *failed is the process.
 */
int descendants_each(const struct target *targets, size_t nr, int (*add)(void *ctx, pid_t pid, pid_t root),
		     void *ctx, pid_t *failed);

/* A process and its parent, for the functions below. */
struct parentage {
	pid_t pid, parent;
	bool given;		/* is a target itself */
	bool descends;
	pid_t root;		/* if it descends: the nearest target among its ancestors */
};

/* Marks the targets and all descendants of targets that are processes, and sorts the array by pid. */
void parentage_mark(struct parentage *processes, size_t nr, const struct target *targets, size_t nr_targets);
/* Is the process in the array and marked as a descendant? The array must be sorted. */
bool parentage_descends(const struct parentage *processes, size_t nr, pid_t pid);

#endif
