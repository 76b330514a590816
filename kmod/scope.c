// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which tasks a session sees.
 *
 * Children are added when they are forked, before they run, from a probe on sched_process_fork. Entries of the dead
 * stay until there are twice as many as were alive: they hold their struct pid, so that a number used again is not
 * mistaken.
 */
#include <linux/cgroup.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "sample.h"
#include "session.h"

#define PRUNE_MIN	1024

struct task_key {
	u32 kind;
	u32 id;					/* in the initial namespace */
};

struct scope_task {
	struct rhash_head node;
	struct task_key key;			/* I */
	struct pid *pid;			/* I: with a reference */
	struct rcu_head rcu;
};

static const struct rhashtable_params table_params = {
	.key_len = sizeof(struct task_key),
	.key_offset = offsetof(struct scope_task, key),
	.head_offset = offsetof(struct scope_task, node),
	.automatic_shrinking = true,
};

static LIST_HEAD(followers);			/* scopes whose processes' children belong to them; RCU */
static DEFINE_MUTEX(followers_mutex);		/* inside session->mutex */
static struct tracepoint *fork_tracepoint;

static void free_task_rcu(struct rcu_head *rcu)
{
	struct scope_task *entry = container_of(rcu, struct scope_task, rcu);

	put_pid(entry->pid);
	kfree(entry);
}

static struct scope_task *new_task(u32 kind, struct pid *pid, gfp_t gfp)
{
	struct scope_task *entry = kzalloc(sizeof(*entry), gfp);

	if (!entry)
		return NULL;
	entry->key.kind = kind;
	entry->key.id = pid_nr(pid);
	entry->pid = get_pid(pid);
	return entry;
}

/* Takes an entry of a dead process of that number away first. Returns 0 or -errno. */
static int add_task(struct tprof_scope *scope, u32 kind, struct pid *pid, gfp_t gfp)
{
	struct scope_task *entry = new_task(kind, pid, gfp);
	struct scope_task *old;
	int err = -ENOMEM;

	if (!entry)
		return err;
	rcu_read_lock();
	old = rhashtable_lookup(&scope->table, &entry->key, table_params);
	if (old && old->pid == pid) {
		err = 0;
		goto drop;
	}
	if (old && !rhashtable_remove_fast(&scope->table, &old->node, table_params))
		call_rcu(&old->rcu, free_task_rcu);
	err = rhashtable_lookup_insert_fast(&scope->table, &entry->node, table_params);
	if (err)
		goto drop;
	rcu_read_unlock();
	return 0;
drop:
	rcu_read_unlock();
	put_pid(entry->pid);
	kfree(entry);
	return err == -EEXIST ? 0 : err;
}

static bool has_task(const struct tprof_scope *scope, u32 kind, u32 id, const struct pid *pid)
{
	struct task_key key = { .kind = kind, .id = id };
	const struct scope_task *entry = rhashtable_lookup((struct rhashtable *)&scope->table, &key, table_params);

	/* A task at its very end has no pid any more, but nobody else has its number yet. */
	return entry && (!pid || entry->pid == pid);
}

static void prune(struct work_struct *work)
{
	struct tprof_scope *scope = container_of(work, struct tprof_scope, prune);
	struct rhashtable_iter iter;
	struct scope_task *entry;

	rhashtable_walk_enter(&scope->table, &iter);
	rhashtable_walk_start(&iter);
	while ((entry = rhashtable_walk_next(&iter))) {
		if (IS_ERR(entry))
			continue;
		if (!pid_task(entry->pid, entry->key.kind == TPROF_TARGET_PROCESS ? PIDTYPE_TGID : PIDTYPE_PID) &&
		    !rhashtable_remove_fast(&scope->table, &entry->node, table_params))
			call_rcu(&entry->rcu, free_task_rcu);
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
	atomic_set(&scope->prune_at, max(PRUNE_MIN, 2 * atomic_read(&scope->table.nelems)));
}

/* Runs in the parent, before the child does. */
static void on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	struct tprof_scope *scope;

	if (child->tgid == parent->tgid)
		return;
	/* What a tracepoint itself holds is not RCU's read lock, and differs between kernels. */
	rcu_read_lock();
	list_for_each_entry_rcu(scope, &followers, list) {
		if (!has_task(scope, TPROF_TARGET_PROCESS, parent->tgid, task_tgid(parent)))
			continue;
		if (add_task(scope, TPROF_TARGET_PROCESS, task_pid(child), GFP_ATOMIC))
			atomic_long_inc(&scope->failed);
		if (atomic_read(&scope->table.nelems) > atomic_read(&scope->prune_at))
			schedule_work(&scope->prune);
	}
	rcu_read_unlock();
}

static int follow(struct tprof_scope *scope)
{
	int err = 0;

	if (scope->followed)
		return 0;
	if (!fork_tracepoint)
		return -EOPNOTSUPP;
	mutex_lock(&followers_mutex);
	if (list_empty(&followers))
		err = tracepoint_probe_register(fork_tracepoint, on_fork, NULL);
	if (!err) {
		list_add_rcu(&scope->list, &followers);
		scope->followed = true;
	}
	mutex_unlock(&followers_mutex);
	return err;
}

void tprof_scope_close(struct tprof_scope *scope)
{
	if (!scope->followed)
		return;
	mutex_lock(&followers_mutex);
	list_del_rcu(&scope->list);
	if (list_empty(&followers))
		tracepoint_probe_unregister(fork_tracepoint, on_fork, NULL);
	mutex_unlock(&followers_mutex);
	scope->followed = false;
	tracepoint_synchronize_unregister();
}

static int attach_task(struct tprof_scope *scope, const struct tprof_target *target)
{
	enum pid_type type = target->kind == TPROF_TARGET_PROCESS ? PIDTYPE_TGID : PIDTYPE_PID;
	struct pid *pid;
	int err;

	if (target->id > INT_MAX)
		return -ESRCH;
	rcu_read_lock();
	pid = get_pid(find_vpid(target->id));
	rcu_read_unlock();
	if (!pid)
		return -ESRCH;
	err = target->kind == TPROF_TARGET_PROCESS ? follow(scope) : 0;
	/* After the children are followed, so that none slips through. */
	if (!err && !pid_has_task(pid, type))
		err = -ESRCH;
	if (!err)
		err = add_task(scope, target->kind, pid, GFP_KERNEL);
	if (!err)
		WRITE_ONCE(scope->tasks, true);
	put_pid(pid);
	return err;
}

static int detach_task(struct tprof_scope *scope, const struct tprof_target *target)
{
	struct task_key key = { .kind = target->kind };
	struct scope_task *entry;
	struct pid *pid;
	int err = -ENOENT;

	if (target->id > INT_MAX)
		return -ENOENT;
	rcu_read_lock();
	pid = find_vpid(target->id);
	key.id = pid ? pid_nr(pid) : 0;
	entry = pid ? rhashtable_lookup(&scope->table, &key, table_params) : NULL;
	if (entry && !rhashtable_remove_fast(&scope->table, &entry->node, table_params)) {
		call_rcu(&entry->rcu, free_task_rcu);
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

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

static struct tprof_scope_cgroups *copy_cgroups(const struct tprof_scope_cgroups *old, unsigned int room)
{
	struct tprof_scope_cgroups *copy;

	copy = kzalloc(struct_size(copy, list, (old ? old->nr : 0) + room), GFP_KERNEL);
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
	new = copy_cgroups(old, 1);
	if (!new) {
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
	/* A delivery may be looking at it. */
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

	for (i = 0; cgroups && i < cgroups->nr; i++)
		cgroup_put(cgroups->list[i]);
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
		err = attach_task(&session->scope, target);
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
		return detach_task(&session->scope, target);
	case TPROF_TARGET_CGROUP:
		return detach_cgroup(session, target);
	default:
		return -EINVAL;
	}
}

bool tprof_scope_has(const struct tprof_session *session, const struct tprof_capture *c)
{
	const struct tprof_scope *scope = &session->scope;
	const struct tprof_sample *s = &c->sample;

	if ((session->flags & TPROF_CONFIG_USER) && !(s->flags & TPROF_SAMPLE_USER))
		return false;
	if ((session->flags & TPROF_CONFIG_KERNEL) && !(s->flags & TPROF_SAMPLE_KERNEL))
		return false;
	if ((session->flags & TPROF_CONFIG_COMM) && strncmp(s->comm, session->comm, TPROF_COMM_LEN))
		return false;
	if (!in_cgroups(scope, c->task))
		return false;
	return !READ_ONCE(scope->tasks) ||
	       has_task(scope, TPROF_TARGET_PROCESS, s->tgid, task_tgid(c->task)) ||
	       has_task(scope, TPROF_TARGET_THREAD, s->tid, task_pid(c->task));
}

int tprof_scope_init(struct tprof_scope *scope)
{
	INIT_LIST_HEAD(&scope->list);
	INIT_WORK(&scope->prune, prune);
	atomic_set(&scope->prune_at, PRUNE_MIN);
	return rhashtable_init(&scope->table, &table_params);
}

static void drop_task(void *entry, void *unused)
{
	free_task_rcu(&((struct scope_task *)entry)->rcu);
}

void tprof_scope_fini(struct tprof_scope *scope)
{
	tprof_scope_close(scope);
	cancel_work_sync(&scope->prune);
	rhashtable_free_and_destroy(&scope->table, drop_task, NULL);
	put_cgroups(scope);
}

static void find_fork(struct tracepoint *tracepoint, void *unused)
{
	if (strcmp(tracepoint->name, "sched_process_fork") == 0)
		fork_tracepoint = tracepoint;
}

int tprof_scopes_init(void)
{
	for_each_kernel_tracepoint(find_fork, NULL);
	if (!fork_tracepoint)
		pr_warn("tprof: this kernel has no tracepoint sched_process_fork: sessions cannot follow processes\n");
	return 0;
}

void tprof_scopes_exit(void)
{
	/* Entries that are still on their way to be freed. */
	rcu_barrier();
}
