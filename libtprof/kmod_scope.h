/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Processes and threads that a session of the module samples. */
#ifndef TPROF_KMOD_SCOPE_H
#define TPROF_KMOD_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "targets.h"

/*
 * Attaches threads, and processes with all that descend from them: the module follows what these fork from now on;
 * those that were there before are attached one by one. Errors: ESRCH, ENOMEM; then *failed is whom it is about.
 */
int kmod_scope_add(int session_fd, const struct target *targets, size_t nr, pid_t *failed);

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
