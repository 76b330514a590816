/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Creates a session of the module and configures it. */
#ifndef TPROF_KMOD_SESSION_H
#define TPROF_KMOD_SESSION_H

#include "engine.h"

/*
 * Creates the session with its events, CPUs, modes, thread name, cgroups and stream. Processes are added later
 * (kmod_scope.h). Returns its file descriptor, or -errno with a sentence.
 */
int kmod_session_open(const struct sampling *sampling, const uint64_t *periods, struct tprof_error *error);

/* TPROF_IOC_FLUSH: on return, all samples up to now were delivered. 0 or -errno. */
int kmod_session_flush(int fd);

/* TPROF_IOC_ATTACH or TPROF_IOC_DETACH. 0 or -errno. */
int kmod_session_cgroup(int fd, unsigned long request, const struct tprof_scope_cgroup *cgroup);

#endif
