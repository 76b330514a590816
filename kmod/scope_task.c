// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks in the scope of a session.
 *
 * A probe on sched_process_fork adds children before they run. Stale entries are pruned once the table is twice the
 * live count. An entry holds a reference on its struct pid, so a reused pid number does not match a stale entry.
 *
 * The probe runs with preemption disabled, where PREEMPT_RT cannot allocate memory and cannot take a sleeping lock. So
 * the hash table has a fixed size, its lock is a raw spinlock, and a pool of spare entries is preallocated for each
 * session that follows forks.
 */
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "payer.h"
#include "sample.h"
#include "scope_task.h"

#define TABLE_BITS	12
#define TABLE_SIZE	(1 << TABLE_BITS)
#define PRUNE_MIN	1024
/* Other kernels allocate an entry in the probe if no spare is left. */
#define NR_SPARES	(IS_ENABLED(CONFIG_PREEMPT_RT) ? 512 : 32)

struct scope_task {
	struct hlist_node node;
	u32 kind;				/* I */
	u32 id;					/* I: in the initial namespace */
	bool attached;				/* I: a target of the client; else a child of one */
	struct pid *pid;			/* I: holds a reference */
	struct rcu_head rcu;
};

static LIST_HEAD(followers);			/* scopes that follow forks; written under followers_mutex, R */
static DEFINE_MUTEX(followers_mutex);		/* nests inside session->mutex */
static struct tracepoint *fork_tracepoint;	/* not exported, so looked up by name; NULL: there is none */

static void free_task_rcu(struct rcu_head *rcu)
{
	struct scope_task *entry = container_of(rcu, struct scope_task, rcu);

	put_pid(entry->pid);
	kfree(entry);
}

static struct scope_task *entry_alloc(const struct tprof_scope_tasks *tasks, gfp_t gfp)
{
	struct mem_cgroup *before = tprof_payer_begin(tasks->payer);
	struct scope_task *entry = kmalloc(sizeof(*entry), gfp);

	tprof_payer_end(before);
	return entry;
}

static void give_spare(struct tprof_scope_tasks *tasks, struct scope_task *entry)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks->lock, flags);
	hlist_add_head(&entry->node, &tasks->spares);
	WRITE_ONCE(tasks->nr_spares, tasks->nr_spares + 1);
	raw_spin_unlock_irqrestore(&tasks->lock, flags);
}

static struct scope_task *pop_spare(struct tprof_scope_tasks *tasks, unsigned int *left)
{
	struct scope_task *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks->lock, flags);
	entry = hlist_entry_safe(tasks->spares.first, struct scope_task, node);
	if (entry) {
		hlist_del(&entry->node);
		WRITE_ONCE(tasks->nr_spares, tasks->nr_spares - 1);
	}
	*left = tasks->nr_spares;
	raw_spin_unlock_irqrestore(&tasks->lock, flags);
	return entry;
}

/* __GFP_ACCOUNT without GFP_ATOMIC: emergency reserves are not for clients, and they exceed the limit of the cgroup. */
static struct scope_task *take_spare(struct tprof_scope_tasks *tasks)
{
	unsigned int left;
	struct scope_task *entry = pop_spare(tasks, &left);

	if (left < NR_SPARES / 2)
		schedule_work(&tasks->refill);
	if (!entry && !IS_ENABLED(CONFIG_PREEMPT_RT))
		entry = entry_alloc(tasks, GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	return entry;
}

static int make_spares(struct tprof_scope_tasks *tasks)
{
	while (READ_ONCE(tasks->nr_spares) < NR_SPARES) {
		struct scope_task *entry = entry_alloc(tasks, TPROF_GFP);

		if (!entry)
			return -ENOMEM;
		give_spare(tasks, entry);
	}
	return 0;
}

/* If memory is short, the next fork schedules this again. */
static void refill(struct work_struct *work)
{
	make_spares(container_of(work, struct tprof_scope_tasks, refill));
}

/* To be called when the probe does not see the scope any more. */
static void drop_spares(struct tprof_scope_tasks *tasks)
{
	struct scope_task *entry;
	unsigned int left;

	cancel_work_sync(&tasks->refill);
	while ((entry = pop_spare(tasks, &left)))
		kfree(entry);
}

static struct hlist_head *bucket(struct hlist_head *table, u32 id)
{
	return &table[hash_32(id, TABLE_BITS)];
}

/* In an RCU read-side critical section, or with tasks->lock held. */
static struct scope_task *find_task(const struct tprof_scope_tasks *tasks, u32 kind, u32 id)
{
	struct hlist_head *table = READ_ONCE(tasks->table);
	struct scope_task *entry;

	if (unlikely(!table))
		return NULL;
	hlist_for_each_entry_rcu(entry, bucket(table, id), node, lockdep_is_held(&tasks->lock)) {
		if (entry->id == id && entry->kind == kind)
			return entry;
	}
	return NULL;
}

static bool has_task(const struct tprof_scope_tasks *tasks, u32 kind, u32 id, const struct pid *pid)
{
	const struct scope_task *entry = find_task(tasks, kind, id);

	/* An exiting task has no struct pid after its release, but its number is not reused yet. */
	return entry && (!pid || entry->pid == pid);
}

/* Drops an entry that is not in the table any more. Any context but NMI. */
static void drop_task(const struct tprof_scope_tasks *tasks, struct scope_task *entry)
{
	if (entry->attached)
		tprof_payer_give(tasks->payer, TPROF_TARGETS, 1);
	call_rcu(&entry->rcu, free_task_rcu);
}

/*
 * Inserts @entry for @pid and replaces a stale entry with the same number. Returns false if @pid has an entry already;
 * the caller then keeps @entry.
 */
static bool add_task(struct tprof_scope_tasks *tasks, struct scope_task *entry, u32 kind, struct pid *pid,
		     bool attached)
{
	struct scope_task *old;
	unsigned long flags;

	entry->kind = kind;
	entry->id = pid_nr(pid);
	entry->pid = pid;
	entry->attached = attached;
	raw_spin_lock_irqsave(&tasks->lock, flags);
	old = find_task(tasks, kind, entry->id);
	if (old && old->pid == pid) {
		raw_spin_unlock_irqrestore(&tasks->lock, flags);
		return false;
	}
	get_pid(pid);
	if (old)
		hlist_del_init_rcu(&old->node);
	else
		WRITE_ONCE(tasks->nr, tasks->nr + 1);
	hlist_add_head_rcu(&entry->node, bucket(tasks->table, entry->id));
	raw_spin_unlock_irqrestore(&tasks->lock, flags);
	if (old)
		drop_task(tasks, old);
	return true;
}

/* In the RCU read-side critical section in which @entry was found. Returns false if it was already removed. */
static bool remove_task(struct tprof_scope_tasks *tasks, struct scope_task *entry)
{
	unsigned long flags;
	bool there;

	raw_spin_lock_irqsave(&tasks->lock, flags);
	there = !hlist_unhashed(&entry->node);
	if (there) {
		hlist_del_init_rcu(&entry->node);
		WRITE_ONCE(tasks->nr, tasks->nr - 1);
	}
	raw_spin_unlock_irqrestore(&tasks->lock, flags);
	if (there)
		drop_task(tasks, entry);
	return there;
}

static void prune(struct work_struct *work)
{
	struct tprof_scope_tasks *tasks = container_of(work, struct tprof_scope_tasks, prune);
	struct scope_task *entry;
	unsigned int i;

	for (i = 0; i < TABLE_SIZE; i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(entry, &tasks->table[i], node) {
			if (!pid_task(entry->pid, entry->kind == TPROF_TARGET_PROCESS ? PIDTYPE_TGID : PIDTYPE_PID))
				remove_task(tasks, entry);
		}
		rcu_read_unlock();
	}
	WRITE_ONCE(tasks->prune_at, max(PRUNE_MIN, 2 * READ_ONCE(tasks->nr)));
}

static void add_child(struct tprof_scope_tasks *tasks, struct pid *pid)
{
	struct scope_task *entry = take_spare(tasks);

	if (!entry)
		atomic_long_inc(&tasks->failed);
	else if (!add_task(tasks, entry, TPROF_TARGET_PROCESS, pid, false))
		give_spare(tasks, entry);
	if (READ_ONCE(tasks->nr) > READ_ONCE(tasks->prune_at))
		schedule_work(&tasks->prune);
}

/* Probe of sched_process_fork. Runs in the parent, before the child runs. */
static void on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	struct tprof_scope_tasks *tasks;

	if (child->tgid == parent->tgid)
		return;
	/* The protection that a tracepoint gives its probes differs between kernels and is not rcu_read_lock(). */
	rcu_read_lock();
	list_for_each_entry_rcu(tasks, &followers, list) {
		if (has_task(tasks, TPROF_TARGET_PROCESS, parent->tgid, task_tgid(parent)))
			add_child(tasks, task_pid(child));
	}
	rcu_read_unlock();
}

static int follow(struct tprof_scope_tasks *tasks)
{
	int err;

	if (tasks->followed)
		return 0;
	if (!fork_tracepoint)
		return -EOPNOTSUPP;
	err = make_spares(tasks);
	mutex_lock(&followers_mutex);
	if (!err && list_empty(&followers))
		err = tracepoint_probe_register(fork_tracepoint, on_fork, NULL);
	if (!err) {
		list_add_rcu(&tasks->list, &followers);
		tasks->followed = true;
	}
	mutex_unlock(&followers_mutex);
	if (err)
		drop_spares(tasks);
	return err;
}

void tprof_scope_unfollow(struct tprof_scope_tasks *tasks)
{
	if (!tasks->followed)
		return;
	mutex_lock(&followers_mutex);
	list_del_rcu(&tasks->list);
	if (list_empty(&followers))
		tracepoint_probe_unregister(fork_tracepoint, on_fork, NULL);
	tracepoint_synchronize_unregister();
	mutex_unlock(&followers_mutex);
	drop_spares(tasks);
	tasks->followed = false;
}

static int make_table(struct tprof_scope_tasks *tasks)
{
	struct hlist_head *table;

	if (tasks->table)
		return 0;
	table = kvcalloc(TABLE_SIZE, sizeof(*table), TPROF_GFP);
	if (!table)
		return -ENOMEM;
	smp_store_release(&tasks->table, table);
	return 0;
}

static bool is_attached(const struct tprof_scope_tasks *tasks, u32 kind, struct pid *pid)
{
	bool has;

	rcu_read_lock();
	has = has_task(tasks, kind, pid_nr(pid), pid);
	rcu_read_unlock();
	return has;
}

/* Entries of targets that have ended may be what exceeds the limit. */
static bool take_target(struct tprof_scope_tasks *tasks)
{
	if (tprof_payer_take(tasks->payer, TPROF_TARGETS, 1))
		return true;
	prune(&tasks->prune);
	return tprof_payer_take(tasks->payer, TPROF_TARGETS, 1);
}

static int attach_task(struct tprof_scope_tasks *tasks, u32 kind, struct pid *pid)
{
	struct scope_task *entry;
	int err = make_table(tasks);

	if (!err && kind == TPROF_TARGET_PROCESS)
		err = follow(tasks);
	if (err)
		return err;
	/* Checked after follow(), so that no child of a live process is missed. */
	if (!pid_has_task(pid, kind == TPROF_TARGET_PROCESS ? PIDTYPE_TGID : PIDTYPE_PID))
		return -ESRCH;
	if (is_attached(tasks, kind, pid))
		return 0;
	if (!take_target(tasks))
		return -ENOSPC;
	entry = entry_alloc(tasks, TPROF_GFP);
	if (!entry || !add_task(tasks, entry, kind, pid, true)) {
		tprof_payer_give(tasks->payer, TPROF_TARGETS, 1);
		kfree(entry);
	}
	if (!entry)
		return -ENOMEM;
	WRITE_ONCE(tasks->kinds, tasks->kinds | BIT(kind));
	return 0;
}

int tprof_scope_attach_task(struct tprof_scope_tasks *tasks, const struct tprof_target *target)
{
	struct pid *pid;
	int err;

	if (target->id > INT_MAX)
		return -ESRCH;
	rcu_read_lock();
	pid = get_pid(find_vpid(target->id));
	rcu_read_unlock();
	if (!pid)
		return -ESRCH;
	err = attach_task(tasks, target->kind, pid);
	put_pid(pid);
	return err;
}

int tprof_scope_detach_task(struct tprof_scope_tasks *tasks, const struct tprof_target *target)
{
	struct scope_task *entry;
	struct pid *pid;
	int err = -ENOENT;

	if (target->id > INT_MAX)
		return -ENOENT;
	rcu_read_lock();
	pid = find_vpid(target->id);
	entry = pid ? find_task(tasks, target->kind, pid_nr(pid)) : NULL;
	if (entry && remove_task(tasks, entry))
		err = 0;
	rcu_read_unlock();
	return err;
}

bool tprof_scope_has_task(const struct tprof_scope_tasks *tasks, const struct tprof_sample *s,
			  struct task_struct *task)
{
	u32 kinds = READ_ONCE(tasks->kinds);

	return !kinds ||
	       (kinds & BIT(TPROF_TARGET_PROCESS) &&
		has_task(tasks, TPROF_TARGET_PROCESS, s->tgid, task_tgid(task))) ||
	       (kinds & BIT(TPROF_TARGET_THREAD) && has_task(tasks, TPROF_TARGET_THREAD, s->tid, task_pid(task)));
}

void tprof_scope_tasks_init(struct tprof_scope_tasks *tasks, const struct tprof_payer *payer)
{
	tasks->payer = payer;
	INIT_LIST_HEAD(&tasks->list);
	INIT_WORK(&tasks->refill, refill);
	INIT_WORK(&tasks->prune, prune);
	raw_spin_lock_init(&tasks->lock);
	tasks->prune_at = PRUNE_MIN;
}

void tprof_scope_tasks_fini(struct tprof_scope_tasks *tasks)
{
	struct scope_task *entry;
	struct hlist_node *next;
	unsigned int i;

	tprof_scope_unfollow(tasks);
	cancel_work_sync(&tasks->prune);
	for (i = 0; tasks->table && i < TABLE_SIZE; i++) {
		hlist_for_each_entry_safe(entry, next, &tasks->table[i], node) {
			if (entry->attached)
				tprof_payer_give(tasks->payer, TPROF_TARGETS, 1);
			free_task_rcu(&entry->rcu);
		}
	}
	kvfree(tasks->table);
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
	/* Wait for pending free_task_rcu(). */
	rcu_barrier();
}
