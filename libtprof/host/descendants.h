/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Who descends, by /proc, from the processes that a session samples. */
#ifndef TPROF_DESCENDANTS_H
#define TPROF_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "targets.h"

/*
 * Calls @add for each process that descends from one of the targets, but is none, until no other is found: whoever was
 * added is to be followed from then on, with all that it forks. Returns 0, or what @add returned if that was not 0
 * (-ESRCH: it is gone, which is no failure; then *failed is whom it is about), or -errno of reading /proc.
 */
int descendants_each(const struct target *targets, size_t nr, int (*add)(void *ctx, pid_t pid), void *ctx,
		     pid_t *failed);

/* For the above: a process and its parent. */
struct parentage {
	pid_t pid, parent;
	bool given;		/* is itself a target */
	bool descends;
};

/* Marks the targets and all that descend from one that is a process, and sorts them by pid. */
void parentage_mark(struct parentage *processes, size_t nr, const struct target *targets, size_t nr_targets);
/* Is it among them, and descends? They have been sorted. */
bool parentage_descends(const struct parentage *processes, size_t nr, pid_t pid);

#endif
