// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters: attach, replace, detach. The calls are in filter_run.h, the budgets in filter_budget.c.
 *
 * BPF frees a program and its trampoline after an RCU grace period, so a caller of the program only has to be in an RCU
 * read-side critical section.
 */
#include <linux/bpf.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "filter.h"
#include "filter_budget.h"
#include "owner.h"
#include "sample.h"
#include "session.h"
#include "session_file.h"
#include "spent.h"
#include "stage.h"

u64 tprof_filter_window __ro_after_init;
bool tprof_direct_calls = true;
struct workqueue_struct *tprof_filter_workqueue;

static LIST_HEAD(all_filters);
static DEFINE_MUTEX(filters_mutex);
static DEFINE_SPINLOCK(owners_lock);
static u64 last_id;				/* F */

struct tprof_filter_owner tprof_filter_owner(const struct tprof_filter *filter)
{
	struct tprof_filter_owner owner;
	unsigned long flags;

	spin_lock_irqsave(&owners_lock, flags);
	owner = filter->owner;
	spin_unlock_irqrestore(&owners_lock, flags);
	return owner;
}

static struct tprof_filters *filters_of(struct tprof_session *session)
{
	return rcu_dereference_protected(session->filters, lockdep_is_held(&session->mutex));
}

static struct tprof_filters *filters_new(struct tprof_session *session, unsigned int nr)
{
	struct mem_cgroup *before = tprof_payer_begin(&session->payer);
	struct tprof_filters *filters = kzalloc(struct_size(filters, list, nr), TPROF_GFP);

	tprof_payer_end(before);
	return filters;
}

/*
 * Publishes a copy of the session's array of filters, without @gone and with @added at its end; each may be NULL.
 * Detaching cannot fail: if memory is short, the copy is charged to no cgroup.
 */
static void filters_change(struct tprof_session *session, const struct tprof_filter *gone, struct tprof_filter *added)
{
	struct tprof_filters *old = filters_of(session);
	struct tprof_filters *new = filters_new(session, old->nr + 1);
	unsigned int i;

	if (!new)
		new = kzalloc(struct_size(new, list, old->nr + 1), GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < old->nr; i++) {
		if (old->list[i] != gone)
			new->list[new->nr++] = old->list[i];
	}
	if (added)
		new->list[new->nr++] = added;
	rcu_assign_pointer(session->filters, new);
	kfree_rcu(old, rcu);
}

void tprof_filters_tell_needs(struct tprof_session *session)
{
	const struct tprof_filters *filters = filters_of(session);
	u32 flags = 0;
	unsigned int i;

	for (i = 0; i < filters->nr; i++)
		flags |= filters->list[i]->flags;
	for (i = 0; i < session->nr_events; i++)
		tprof_subscription_want(&session->events[i],
					(flags & TPROF_FILTER_KERNEL_STACK ? TPROF_WANTS_STACK : 0) +
					(flags & TPROF_FILTER_USER_STACK ? TPROF_WANTS_USER_STACK : 0) +
					(flags & TPROF_FILTER_OWNER ? TPROF_WANTS_OWNER : 0));
}

int tprof_filters_init(struct tprof_session *session)
{
	struct tprof_filters *none = filters_new(session, 0);

	RCU_INIT_POINTER(session->filters, none);
	return none ? 0 : -ENOMEM;
}

static int check_ops(const struct tprof_filter_ops *ops)
{
	if (!ops->sample || !ops->name[0] || strnlen(ops->name, sizeof(ops->name)) == sizeof(ops->name) ||
	    (ops->flags & ~TPROF_FILTER_FLAGS))
		return -EINVAL;
	return 0;
}

/* Records the current process and the program's name as the owner. */
static void filter_set_owner(struct tprof_filter *filter, const struct tprof_filter_ops *ops)
{
	struct tprof_filter_owner owner = { .pid = task_tgid_nr(current) };

	get_task_comm(owner.comm, current);
	strscpy(owner.name, ops->name, sizeof(owner.name));
	spin_lock_irq(&owners_lock);
	filter->owner = owner;
	spin_unlock_irq(&owners_lock);
}

/*
 * Replaces the program. The budget is that of the filter, so it goes on: an owner that replaces it again and again gets
 * no more. If it is used up, the new program is called when the second is over.
 */
static void filter_set_program(struct tprof_filter *filter, const struct tprof_filter_ops *program)
{
	const struct tprof_filter_ops *old = filter->program;

	filter->program = program;
	filter->direct = program->prog;
	/* Fails if the filter is over its budget, or exceeds it now: that writes NULL. */
	cmpxchg(&filter->ops, old, program);
	/* The old program has returned, and its run time is charged. */
	tprof_quiesce(tprof_session_cpus(filter->session));
	/* The warning prints the owner of the old program: print it before the caller changes the owner. */
	irq_work_sync(&filter->warn);
	if (!READ_ONCE(filter->ops))
		tprof_filter_resume_later(filter);
}

/* Owners are noted while there is a filter that has asked for them. Errors: ENOMEM. */
static int filter_use_owners(struct tprof_filter *filter, const struct tprof_filter_ops *ops)
{
	struct mem_cgroup *before;
	int err;

	if (!(ops->flags & TPROF_FILTER_OWNER) || filter->has_owners)
		return 0;
	before = tprof_payer_begin(&filter->session->payer);
	err = tprof_owners_get();
	tprof_payer_end(before);
	filter->has_owners = !err;
	return err;
}

static void filter_free(struct tprof_filter *filter)
{
	if (filter->has_owners)
		tprof_owners_put();
	free_percpu(filter->cpu);
	kfree(filter->spent);
	kfree(filter);
}

static struct tprof_filter *filter_alloc(struct tprof_session *session)
{
	struct mem_cgroup *before = tprof_payer_begin(&session->payer);
	struct tprof_filter *filter = kzalloc(sizeof(*filter), TPROF_GFP);

	if (filter) {
		filter->cpu = alloc_percpu_gfp(struct tprof_filter_cpu, TPROF_GFP);
		filter->spent = tprof_spent_new();
	}
	tprof_payer_end(before);
	if (filter && filter->cpu && filter->spent)
		return filter;
	if (filter)
		filter_free(filter);
	return NULL;
}

static struct tprof_filter *filter_new(struct tprof_session *session, const struct tprof_filter_ops *ops,
				       struct bpf_link *link)
{
	struct tprof_filter *filter = filter_alloc(session);
	unsigned int cpu;

	if (!filter)
		return NULL;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(filter->cpu, cpu)->filter = filter;
	filter->session = session;
	filter->link = link;
	tprof_filter_budget_init(filter);
	filter->flags = ops->flags;
	filter->program = ops;
	filter->direct = ops->prog;
	filter->ops = ops;
	filter_set_owner(filter, ops);
	if (!filter_use_owners(filter, ops))
		return filter;
	filter_free(filter);
	return NULL;
}

void tprof_filters_change_budget(struct tprof_session *session, u64 budget)
{
	const struct tprof_filters *filters = filters_of(session);
	unsigned int i, cpu;

	for (i = 0; i < filters->nr; i++) {
		for_each_possible_cpu(cpu)
			per_cpu_ptr(filters->list[i]->cpu, cpu)->rest += (s64)(budget - session->budget);
	}
	session->budget = budget;
}

static struct tprof_filter *filter_find(const struct bpf_link *link)
{
	struct tprof_filter *filter, *found = NULL;

	mutex_lock(&filters_mutex);
	list_for_each_entry(filter, &all_filters, list) {
		if (filter->link == link)
			found = filter;
	}
	mutex_unlock(&filters_mutex);
	return found;
}

static int filter_join(struct tprof_session *session, struct tprof_filter *filter)
{
	int err = 0;

	mutex_lock(&session->mutex);
	if (session->closed)
		err = -EBADF;
	else if (session->seals & TPROF_SEAL_FILTERS)
		err = -EPERM;
	else if (filters_of(session)->nr == TPROF_MAX_FILTERS)
		err = -ENOSPC;
	if (!err) {
		mutex_lock(&filters_mutex);
		filter->id = ++last_id;
		list_add_tail(&filter->list, &all_filters);
		mutex_unlock(&filters_mutex);
		tprof_filter_take_spent(filter);
		filters_change(session, NULL, filter);
		tprof_filters_tell_needs(session);
	}
	mutex_unlock(&session->mutex);
	return err;
}

int tprof_filter_attach(const struct tprof_filter_ops *ops, struct bpf_link *link)
{
	struct tprof_session *session;
	struct tprof_filter *filter;
	int err = check_ops(ops);

	if (err)
		return err;
	/* No permission check: it was made when the session was created. */
	session = tprof_session_from_fd(ops->session_fd);
	if (IS_ERR(session))
		return PTR_ERR(session);
	filter = filter_new(session, ops, link);
	if (!filter) {
		tprof_session_put(session);
		return -ENOMEM;
	}
	err = filter_join(session, filter);
	if (err) {
		filter_free(filter);
		tprof_session_put(session);
	}
	return err;
}

static int filter_change(struct tprof_session *session, struct tprof_filter *filter,
			 const struct tprof_filter_ops *ops)
{
	int err;

	mutex_lock(&session->mutex);
	err = session->seals & TPROF_SEAL_FILTERS ? -EPERM : filter_use_owners(filter, ops);
	if (!err) {
		filter->flags = ops->flags;
		tprof_filters_tell_needs(session);
		filter_set_program(filter, ops);
		filter_set_owner(filter, ops);
	}
	mutex_unlock(&session->mutex);
	return err;
}

int tprof_filter_replace(const struct tprof_filter_ops *ops, struct bpf_link *link)
{
	struct tprof_filter *filter = filter_find(link);
	struct tprof_session *session;
	int err = check_ops(ops);

	if (err || WARN_ON_ONCE(!filter))
		return err ?: -ENOENT;
	session = tprof_session_from_fd(ops->session_fd);
	if (IS_ERR(session))
		return PTR_ERR(session);
	err = session == filter->session ? filter_change(session, filter, ops) : -EINVAL;
	tprof_session_put(session);
	return err;
}

int tprof_filter_enable(struct tprof_session *session, u64 id)
{
	const struct tprof_filters *filters = filters_of(session);
	unsigned int i;

	for (i = 0; i < filters->nr; i++) {
		struct tprof_filter *filter = filters->list[i];

		if (filter->id != id)
			continue;
		if (READ_ONCE(filter->state) != TPROF_FILTER_OVER_BUDGET)
			return 0;
		if (tprof_filter_waits(filter))
			return -EAGAIN;
		tprof_filter_resume(filter);
		return 0;
	}
	return -ENOENT;
}

/* After a grace period: the filter is not running. Its warning may still be queued, and reads the session. */
static void filter_gone(struct work_struct *work)
{
	struct tprof_filter *filter = container_of(to_rcu_work(work), struct tprof_filter, gone);

	irq_work_sync(&filter->warn);
	cancel_delayed_work_sync(&filter->resume);
	tprof_session_put(filter->session);
	filter_free(filter);
}

void tprof_filter_detach(struct bpf_link *link)
{
	struct tprof_filter *filter = filter_find(link);
	struct tprof_session *session;

	if (WARN_ON_ONCE(!filter))
		return;
	session = filter->session;
	mutex_lock(&session->mutex);
	filter->detached = true;
	mutex_lock(&filters_mutex);
	list_del(&filter->list);
	mutex_unlock(&filters_mutex);
	filters_change(session, filter, NULL);
	tprof_filters_tell_needs(session);
	/* When it returns, the filter is not called, and its run time is charged. */
	tprof_quiesce(tprof_session_cpus(session));
	tprof_filter_keep_spent(filter);
	mutex_unlock(&session->mutex);
	INIT_RCU_WORK(&filter->gone, filter_gone);
	queue_rcu_work(tprof_filter_workqueue, &filter->gone);
}

void tprof_filter_read(const struct tprof_filter *filter, struct tprof_filter_info *info)
{
	struct tprof_filter_owner owner = tprof_filter_owner(filter);
	unsigned int cpu;

	info->state = READ_ONCE(filter->state);
	info->owner = owner.pid;
	info->id = filter->id;
	memcpy(info->name, owner.name, sizeof(info->name));
	for_each_possible_cpu(cpu) {
		const struct tprof_filter_cpu *c = per_cpu_ptr(filter->cpu, cpu);

		info->calls += READ_ONCE(c->calls);
		info->run_ns += READ_ONCE(c->run);
		info->kept += READ_ONCE(c->kept);
		info->bad += READ_ONCE(c->bad);
		info->longest_ns = max(info->longest_ns, READ_ONCE(c->longest));
	}
	info->run_ns = tprof_clock_ns(info->run_ns);
	info->longest_ns = tprof_clock_ns(info->longest_ns);
}

void tprof_filter_for_each(void (*show)(struct tprof_filter *filter, void *ctx), void *ctx)
{
	struct tprof_filter *filter;

	mutex_lock(&filters_mutex);
	list_for_each_entry(filter, &all_filters, list)
		show(filter, ctx);
	mutex_unlock(&filters_mutex);
}

int __init tprof_filter_init(void)
{
	tprof_filter_window = tprof_clock_hz();
	tprof_filter_workqueue = alloc_workqueue("tprof", WQ_UNBOUND, 0);
	return tprof_filter_workqueue ? 0 : -ENOMEM;
}

void tprof_filter_exit(void)
{
	/* Wait until all pending rcu_work has been queued; destroy_workqueue() then runs it. */
	rcu_barrier();
	destroy_workqueue(tprof_filter_workqueue);
	tprof_spent_exit();
}
