/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scope of a session: processes and their descendants, threads, cgroups and their descendants, a thread name, user
 * or kernel mode. The CPU mask is not part of it (tprof_session.cpus).
 */
#ifndef _TPROF_SCOPE_H
#define _TPROF_SCOPE_H

#include "scope_task.h"

struct cgroup;
struct task_struct;
struct tprof_session;

#define TPROF_SCOPE_MAX_CGROUPS	64

struct tprof_scope_cgroups {
	struct rcu_head rcu;
	unsigned int nr;
	struct cgroup *list[];			/* holds a reference on each */
};

struct tprof_scope {
	struct tprof_scope_tasks tasks;
	struct tprof_scope_cgroups __rcu *cgroups; /* s,R; NULL: never had a cgroup as target */
};

void tprof_scope_init(struct tprof_scope *scope, const struct tprof_payer *payer);
/* Stops following forks. Process context. */
void tprof_scope_close(struct tprof_scope *scope);
void tprof_scope_fini(struct tprof_scope *scope);

/* With the session's mutex held. Errors: see TPROF_IOC_ATTACH. */
int tprof_scope_attach(struct tprof_session *session, const struct tprof_target *target);
int tprof_scope_detach(struct tprof_session *session, const struct tprof_target *target);

/*
 * Tests whether a sample of the task is in scope. Hard interrupt context or interrupts disabled, with rcu_read_lock()
 * held.
 */
bool tprof_scope_has(const struct tprof_session *session, const struct tprof_sample *s, struct task_struct *task);

#endif
