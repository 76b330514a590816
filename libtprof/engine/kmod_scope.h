/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Processes and threads that a session of the module samples. */
#ifndef TPROF_KMOD_SCOPE_H
#define TPROF_KMOD_SCOPE_H

#include <stddef.h>
#include <sys/types.h>

#include "host/targets.h"

/*
 * Attaches threads, and processes with all their descendants. The module follows later forks; existing descendants are
 * attached one by one. Errors: ESRCH, ENOMEM; *failed is set to the pid concerned.
 */
int kmod_scope_add(int session_fd, const struct target *targets, size_t nr, pid_t *failed);

#endif
