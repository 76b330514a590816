/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Processes and threads that a session of the module samples. */
#ifndef TPROF_KMOD_SCOPE_H
#define TPROF_KMOD_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tprof/object.h"

/*
 * Attaches a thread, or a process with all that descend from it: the module follows what it forks from now on; those
 * that were there before are attached one by one. Errors: ESRCH, ENOMEM.
 */
int kmod_scope_add(int session_fd, enum tprof_scope_kind kind, pid_t id);

/* For the above: a process and its parent. */
struct parentage {
	pid_t pid, parent;
	bool descends;
};

/* Marks all that descend from @ancestor, and sorts them by pid. */
void parentage_mark(struct parentage *processes, size_t nr, pid_t ancestor);
/* Is it among them, and marked? They have been sorted. */
bool parentage_is_marked(const struct parentage *processes, size_t nr, pid_t pid);

#endif
