/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tasks a session sees: processes with all that they fork, threads, cgroups with all that is below, thread
 * names, user or kernel mode. CPUs are the session's own.
 */
#ifndef _TPROF_SCOPE_H
#define _TPROF_SCOPE_H

#include "scope_task.h"

struct cgroup;
struct tprof_capture;
struct tprof_session;

#define TPROF_SCOPE_MAX_CGROUPS	64

struct tprof_scope_cgroups {
	struct rcu_head rcu;
	unsigned int nr;
	struct cgroup *list[];			/* with references */
};

struct tprof_scope {
	struct tprof_scope_tasks tasks;
	struct tprof_scope_cgroups __rcu *cgroups; /* s,R; NULL: there never was one */
};

void tprof_scope_init(struct tprof_scope *scope);
/* No more children are followed. */
void tprof_scope_close(struct tprof_scope *scope);
void tprof_scope_fini(struct tprof_scope *scope);

/* The session's mutex is held. Errors as in the uapi. */
int tprof_scope_attach(struct tprof_session *session, const struct tprof_target *target);
int tprof_scope_detach(struct tprof_session *session, const struct tprof_target *target);

/* Hard interrupt context, or interrupts off; under RCU. */
bool tprof_scope_has(const struct tprof_session *session, const struct tprof_capture *c);

#endif
