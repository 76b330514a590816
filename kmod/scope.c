// SPDX-License-Identifier: GPL-2.0-only
/* The scope of a session: modes, thread name, cgroups, and tasks (scope_task.c). */
#include <linux/cgroup.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sample.h"
#include "session.h"

#ifdef CONFIG_CGROUPS
static struct tprof_scope_cgroups *cgroups_of(struct tprof_session *session)
{
	return rcu_dereference_protected(session->scope.cgroups, lockdep_is_held(&session->mutex));
}

static void replace_cgroups(struct tprof_session *session, struct tprof_scope_cgroups *cgroups)
{
	struct tprof_scope_cgroups *old = cgroups_of(session);

	rcu_assign_pointer(session->scope.cgroups, cgroups);
	kfree_rcu(old, rcu);
}

static struct tprof_scope_cgroups *copy_cgroups(const struct tprof_scope_cgroups *old, unsigned int extra)
{
	struct tprof_scope_cgroups *copy;

	copy = kzalloc(struct_size(copy, list, (old ? old->nr : 0) + extra), TPROF_GFP);
	if (copy && old) {
		copy->nr = old->nr;
		memcpy(copy->list, old->list, old->nr * sizeof(old->list[0]));
	}
	return copy;
}

static int find_cgroup(const struct tprof_scope_cgroups *cgroups, u64 id)
{
	unsigned int i;

	for (i = 0; cgroups && i < cgroups->nr; i++) {
		if (cgroup_id(cgroups->list[i]) == id)
			return i;
	}
	return -ENOENT;
}

static int attach_cgroup(struct tprof_session *session, const struct tprof_target *target)
{
	struct tprof_scope_cgroups *old = cgroups_of(session), *new;
	struct cgroup *cgroup;

	if (find_cgroup(old, target->id) >= 0)
		return 0;
	if (old && old->nr == TPROF_SCOPE_MAX_CGROUPS)
		return -ENOSPC;
	cgroup = cgroup_get_from_id(target->id);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup) == -ENOMEM ? -ENOMEM : -ENOENT;
	if (!tprof_payer_take(&session->payer, TPROF_TARGETS, 1)) {
		cgroup_put(cgroup);
		return -ENOSPC;
	}
	new = copy_cgroups(old, 1);
	if (!new) {
		tprof_payer_give(&session->payer, TPROF_TARGETS, 1);
		cgroup_put(cgroup);
		return -ENOMEM;
	}
	new->list[new->nr++] = cgroup;
	replace_cgroups(session, new);
	return 0;
}

static int detach_cgroup(struct tprof_session *session, const struct tprof_target *target)
{
	struct tprof_scope_cgroups *old = cgroups_of(session), *new;
	int i = find_cgroup(old, target->id);
	struct cgroup *cgroup;

	if (i < 0)
		return i;
	new = copy_cgroups(old, 0);
	if (!new)
		return -ENOMEM;
	cgroup = new->list[i];
	new->list[i] = new->list[--new->nr];
	replace_cgroups(session, new);
	tprof_payer_give(&session->payer, TPROF_TARGETS, 1);
	/* A delivery may still use the cgroup. */
	synchronize_rcu();
	cgroup_put(cgroup);
	return 0;
}

static bool in_cgroups(const struct tprof_scope *scope, struct task_struct *task)
{
	const struct tprof_scope_cgroups *cgroups = rcu_dereference(scope->cgroups);
	struct cgroup *cgroup;
	unsigned int i;

	if (likely(!cgroups))
		return true;
	cgroup = task_dfl_cgroup(task);
	for (i = 0; i < cgroups->nr; i++) {
		if (cgroup_is_descendant(cgroup, cgroups->list[i]))
			return true;
	}
	return false;
}

static void put_cgroups(struct tprof_scope *scope)
{
	struct tprof_scope_cgroups *cgroups = rcu_dereference_protected(scope->cgroups, true);
	unsigned int i;

	for (i = 0; cgroups && i < cgroups->nr; i++) {
		cgroup_put(cgroups->list[i]);
		tprof_payer_give(scope->tasks.payer, TPROF_TARGETS, 1);
	}
	kfree(cgroups);
}
#else
static int attach_cgroup(struct tprof_session *session, const struct tprof_target *target)
{
	return -EOPNOTSUPP;
}

static int detach_cgroup(struct tprof_session *session, const struct tprof_target *target)
{
	return -EOPNOTSUPP;
}

static bool in_cgroups(const struct tprof_scope *scope, struct task_struct *task)
{
	return true;
}

static void put_cgroups(struct tprof_scope *scope)
{
}
#endif

int tprof_scope_attach(struct tprof_session *session, const struct tprof_target *target)
{
	int err = -EINVAL;

	lockdep_assert_held(&session->mutex);
	switch (target->kind) {
	case TPROF_TARGET_PROCESS:
	case TPROF_TARGET_THREAD:
		err = tprof_scope_attach_task(&session->scope.tasks, target);
		break;
	case TPROF_TARGET_CGROUP:
		err = attach_cgroup(session, target);
		break;
	}
	if (!err) {
		WRITE_ONCE(session->scoped, true);
		tprof_session_update_plain(session);
	}
	return err;
}

int tprof_scope_detach(struct tprof_session *session, const struct tprof_target *target)
{
	lockdep_assert_held(&session->mutex);
	switch (target->kind) {
	case TPROF_TARGET_PROCESS:
	case TPROF_TARGET_THREAD:
		return tprof_scope_detach_task(&session->scope.tasks, target);
	case TPROF_TARGET_CGROUP:
		return detach_cgroup(session, target);
	default:
		return -EINVAL;
	}
}

bool tprof_scope_has(const struct tprof_session *session, const struct tprof_sample *s, struct task_struct *task)
{
	const struct tprof_scope *scope = &session->scope;

	if ((session->flags & TPROF_CONFIG_USER) && !(s->flags & TPROF_SAMPLE_USER))
		return false;
	if ((session->flags & TPROF_CONFIG_KERNEL) && !(s->flags & TPROF_SAMPLE_KERNEL))
		return false;
	if ((session->flags & TPROF_CONFIG_COMM) && strncmp(s->comm, session->comm, TPROF_COMM_LEN))
		return false;
	if (!in_cgroups(scope, task))
		return false;
	return tprof_scope_has_task(&scope->tasks, s, task);
}

void tprof_scope_init(struct tprof_scope *scope, const struct tprof_payer *payer)
{
	tprof_scope_tasks_init(&scope->tasks, payer);
}

void tprof_scope_close(struct tprof_scope *scope)
{
	tprof_scope_unfollow(&scope->tasks);
}

void tprof_scope_fini(struct tprof_scope *scope)
{
	tprof_scope_tasks_fini(&scope->tasks);
	put_cgroups(scope);
}
