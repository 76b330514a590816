/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Processes and threads that a session of the module samples. The module follows forks; this file remembers which
 * processes belong to which target, to remove them with it.
 */
#ifndef TPROF_KMOD_SCOPE_H
#define TPROF_KMOD_SCOPE_H

#include "base/hash.h"
#include "host/targets.h"

struct kmod_scope {
	int session_fd;
	struct hash family;		/* of struct relative, by pid */
};

void kmod_scope_fini(struct kmod_scope *scope);

/*
 * Adds processes, with their descendants, and threads. Errors: those of the module, of reading /proc, and ENOMEM;
 * *failed is the pid concerned.
 */
int kmod_scope_add(struct kmod_scope *scope, const struct target *targets, size_t nr, pid_t *failed);

/*
 * Removes a target, which is not among the @nr others, with its descendants, except those that descend from one of the
 * others. Call again after reading process events, until it returns 0: others may have been forked in between. Returns
 * the number of processes or threads that were removed, or -errno.
 */
int kmod_scope_remove(struct kmod_scope *scope, const struct target *target, const struct target *others, size_t nr);

/* Process events. */
void kmod_scope_forked(struct kmod_scope *scope, pid_t parent, pid_t child);
void kmod_scope_exited(struct kmod_scope *scope, pid_t pid);

#endif
