// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources, and the sessions that subscribe to them. Owns the sources mutex (S) and, inside it, cpus_mutex.
 *
 * Much of what is called here to create and free events takes the lock of CPU hotplug. So the sources mutex is outside
 * that lock, and the callbacks of hotplug take cpus_mutex only: they mark what was on a CPU as gone, when it goes and,
 * for what was started at its last moment, when it comes; a work that runs after them settles it.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "sample.h"
#include "session.h"
#include "source.h"
#include "stage.h"

/* More than comes together while a CPU joins, by far. */
#define NOT_JOINED (S64_MAX / 2)

/* A tenth of a second: where interrupts are later than that, there is more amiss than a sample. */
#define SETTLE_TRIES 200
#define SETTLE_SLEEP_US 500

static DEFINE_MUTEX(sources_mutex);
static DEFINE_MUTEX(cpus_mutex);
LIST_HEAD(tprof_sources);
static u32 last_id;				/* S */

const void *tprof_source_event(const struct tprof_source *source)
{
	return source->event;
}
EXPORT_SYMBOL_GPL(tprof_source_event);

void *tprof_source_cpu(const struct tprof_source *source, unsigned int cpu)
{
	return per_cpu_ptr(source->private, cpu);
}
EXPORT_SYMBOL_GPL(tprof_source_cpu);

static void source_free(struct tprof_source *source)
{
	/* Nobody has it any more. */
	kfree(rcu_dereference_protected(source->subscribers, true));
	free_percpu(source->cpu);
	free_percpu(source->private);
	kfree(source->event);
	kfree(source);
}

static void source_free_rcu(struct rcu_head *rcu)
{
	source_free(container_of(rcu, struct tprof_source, rcu));
}

static struct tprof_source *source_new(const struct tprof_source_ops *ops, const void *event, bool sampling)
{
	struct tprof_source *source = kzalloc(sizeof(*source), GFP_KERNEL);
	struct tprof_subscribers *none;

	if (!source)
		return NULL;
	source->ops = ops;
	source->id = ++last_id;
	source->sampling = sampling;
	INIT_LIST_HEAD(&source->users);
	source->event = kmemdup(event, ops->event_size + 1, GFP_KERNEL);
	source->cpu = alloc_percpu(struct tprof_source_cpu);
	source->private = __alloc_percpu(max(ops->cpu_size, sizeof(long)), sizeof(u64));
	none = kzalloc(sizeof(*none), GFP_KERNEL);
	RCU_INIT_POINTER(source->subscribers, none);
	if (source->event && source->cpu && source->private && none)
		return source;
	source_free(source);
	return NULL;
}

static struct tprof_source *source_find(const struct tprof_subscription *sub)
{
	struct tprof_source *source;

	lockdep_assert_held(&sources_mutex);
	list_for_each_entry(source, &tprof_sources, list) {
		if (source->ops == sub->ops && source->sampling == !!sub->period &&
		    memcmp(source->event, sub->attr, sub->ops->event_size) == 0)
			return source;
	}
	return NULL;
}

static struct tprof_source *source_get(const struct tprof_subscription *sub)
{
	struct tprof_source *source = source_find(sub);

	if (source)
		return source;
	source = source_new(sub->ops, sub->attr, sub->period);
	if (!source)
		return NULL;
	mutex_lock(&cpus_mutex);
	list_add_tail_rcu(&source->list, &tprof_sources);
	mutex_unlock(&cpus_mutex);
	return source;
}

static bool is_on_cpu(const struct tprof_subscription *sub, unsigned int cpu)
{
	return sub->session->all_cpus || cpumask_test_cpu(cpu, sub->session->cpus);
}

static bool is_wanted(const struct tprof_source *source, unsigned int cpu)
{
	const struct tprof_subscription *sub;

	list_for_each_entry(sub, &source->users, node) {
		if (is_on_cpu(sub, cpu))
			return true;
	}
	return false;
}

static u64 shortest_period(const struct tprof_source *source)
{
	const struct tprof_subscription *sub;
	u64 period = U64_MAX;

	list_for_each_entry(sub, &source->users, node)
		period = min(period, sub->period);
	return period;
}

/* What the counter says of a CPU since it was last started there. */
static void source_read_cpu(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);

	memset(count, 0, sizeof(*count));
	if (source->ops->read)
		source->ops->read(source, cpu, count);
	else
		count->enabled_ns = count->running_ns = ktime_get_ns() - c->started_ns;
}

static void add_count(struct tprof_source_count *to, const struct tprof_source_count *count)
{
	to->value += count->value;
	to->enabled_ns += count->enabled_ns;
	to->running_ns += count->running_ns;
}

static void sub_count(struct tprof_source_count *from, const struct tprof_source_count *count)
{
	from->value -= count->value;
	from->enabled_ns -= count->enabled_ns;
	from->running_ns -= count->running_ns;
}

/* What the counter says of a CPU, now and before it was last started there. */
static void source_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);
	struct tprof_source_count now;

	*count = c->past;
	if (c->running) {
		source_read_cpu(source, cpu, &now);
		add_count(count, &now);
	}
	if (!source->ops->read)
		count->value = READ_ONCE(c->weight);
}

static int source_start_cpu(struct tprof_source *source, unsigned int cpu)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);
	int err;

	if (c->running)
		return 0;
	c->started_ns = ktime_get_ns();
	err = source->ops->start(source, cpu, source->period);
	c->running = !err;
	return err;
}

static void source_stop_cpu(struct tprof_source *source, unsigned int cpu)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);
	struct tprof_source_count count;

	if (!c->running)
		return;
	source->ops->stop(source, cpu);
	source_read_cpu(source, cpu, &count);
	add_count(&c->past, &count);
	c->running = false;
}

/* Did the CPU go away since the source was started there? Forgets it. */
static bool take_gone(struct tprof_source_cpu *c)
{
	bool gone;

	mutex_lock(&cpus_mutex);
	gone = c->gone;
	c->gone = false;
	mutex_unlock(&cpus_mutex);
	return gone;
}

/*
 * Starts it where it is wanted and stops it where it is not. Returns what the first CPU said that cannot be started;
 * for the others it is done.
 */
static int source_update_cpus(struct tprof_source *source)
{
	unsigned int cpu;
	int err, first_err = 0;

	for_each_possible_cpu(cpu) {
		bool wanted = is_wanted(source, cpu);

		if (take_gone(per_cpu_ptr(source->cpu, cpu)) || !wanted)
			source_stop_cpu(source, cpu);
		if (!wanted || !cpu_online(cpu))
			continue;
		err = source_start_cpu(source, cpu);
		/* One that is going will be looked at again. */
		if (err != -ENODEV)
			first_err = first_err ?: err;
	}
	return first_err;
}

static int change_period_cpu(struct tprof_source *source, unsigned int cpu)
{
	if (source->ops->set_period)
		return source->ops->set_period(source, cpu, source->period);
	source_stop_cpu(source, cpu);
	return source_start_cpu(source, cpu);
}

static int source_update_period(struct tprof_source *source)
{
	u64 period = shortest_period(source);
	unsigned int cpu;
	int err = 0;

	if (list_empty(&source->users) || period == source->period)
		return 0;
	source->period = period;
	for_each_possible_cpu(cpu) {
		if (!err && per_cpu_ptr(source->cpu, cpu)->running)
			err = change_period_cpu(source, cpu);
		/* It will be started with the new period when it comes back. */
		if (err == -ENODEV && !cpu_online(cpu))
			err = 0;
	}
	return err;
}

/* Makes the array of those that get samples anew. */
static int source_publish(struct tprof_source *source)
{
	struct tprof_subscribers *old = rcu_dereference_protected(source->subscribers, lockdep_is_held(&sources_mutex));
	struct tprof_subscribers *new;
	struct tprof_subscription *sub;

	new = kzalloc(struct_size(new, list, list_count_nodes(&source->users)), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	if (source->sampling) {
		list_for_each_entry(sub, &source->users, node)
			new->list[new->nr++] = sub;
	}
	rcu_assign_pointer(source->subscribers, new);
	kfree_rcu(old, rcu);
	return 0;
}

/* Without memory for a shorter array, the present one is shortened: it is ours, and holes are not looked at. */
static void source_withdraw(struct tprof_source *source, const struct tprof_subscription *gone)
{
	struct tprof_subscribers *subscribers;
	unsigned int i;

	if (!source_publish(source))
		return;
	subscribers = rcu_dereference_protected(source->subscribers, lockdep_is_held(&sources_mutex));
	for (i = 0; i < subscribers->nr; i++) {
		if (subscribers->list[i] == gone) {
			WRITE_ONCE(subscribers->list[i], subscribers->list[subscribers->nr - 1]);
			WRITE_ONCE(subscribers->nr, subscribers->nr - 1);
			return;
		}
	}
}

static void source_put(struct tprof_source *source)
{
	if (!list_empty(&source->users))
		return;
	mutex_lock(&cpus_mutex);
	list_del_rcu(&source->list);
	mutex_unlock(&cpus_mutex);
	/* tprof_deliver_missed() may be looking at it, from an interrupt. */
	call_rcu(&source->rcu, source_free_rcu);
}

/* Gives out what has come together on this CPU, and returns what has not come to a sample yet. Interrupts are off. */
static u64 source_settle_here(struct tprof_source *source)
{
	if (!source->ops->settle || !this_cpu_ptr(source->cpu)->running)
		return 0;
	return source->ops->settle(source);
}

struct settling {
	struct tprof_source *source;
	u64 until_ns;
	atomic_t nr_due;
};

static void settle_here(void *info)
{
	struct settling *settling = info;
	struct tprof_source *source = settling->source;

	source_settle_here(source);
	if (source->ops->due && this_cpu_ptr(source->cpu)->running && source->ops->due(source, settling->until_ns))
		atomic_inc(&settling->nr_due);
}

/* What is over by now becomes samples on each CPU; an interrupt that is late is waited for, but not for ever. */
static void source_settle(struct tprof_source *source)
{
	struct settling settling = { .source = source, .until_ns = ktime_get_ns() };
	int tries;

	if (!source->ops->settle)
		return;
	for (tries = 0; tries < SETTLE_TRIES; tries++) {
		atomic_set(&settling.nr_due, 0);
		on_each_cpu(settle_here, &settling, 1);
		if (!atomic_read(&settling.nr_due))
			return;
		fsleep(SETTLE_SLEEP_US);
	}
}

static void remember_base(struct tprof_subscription *sub)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		source_read(sub->source, cpu, &sub->base[cpu]);
}

/* Sessions that are slower than their source begin at a random place within their period: not to skip in step. */
static s64 begin_at(const struct tprof_subscription *sub)
{
	return sub->source->period < sub->period ? get_random_u64() % sub->period : 0;
}

static s64 *carry_of(struct tprof_subscription *sub, unsigned int cpu)
{
	return &per_cpu_ptr(sub->session->cpu, cpu)->carry[sub->index];
}

/*
 * From here on this CPU gives to the session, and counts for it, what lies ahead: neither what has come together before
 * nor the past of what comes next. Interrupts are off, so nothing comes between.
 */
static void join_here(void *info)
{
	struct tprof_subscription *sub = info;
	struct tprof_source *source = sub->source;
	const struct tprof_source_cpu *c = this_cpu_ptr(source->cpu);
	unsigned int cpu = smp_processor_id();
	u64 past;

	if (!c->running)
		return;
	past = source_settle_here(source);
	tprof_stage_drain();
	*carry_of(sub, cpu) = begin_at(sub) - past;
	if (!source->ops->read)
		sub->base[cpu].value = c->weight + past;
}

/* Samples that come before their CPU has joined are skipped, however much they weigh. */
static int join(struct tprof_subscription *sub)
{
	unsigned int cpu;
	int err;

	remember_base(sub);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		bool joins = per_cpu_ptr(sub->source->cpu, cpu)->running && cpu_online(cpu);

		*carry_of(sub, cpu) = joins ? -NOT_JOINED : begin_at(sub);
	}
	err = source_publish(sub->source);
	if (!err)
		on_each_cpu(join_here, sub, 1);
	cpus_read_unlock();
	return err;
}

/* What was counted on a CPU since the session was first started. The sources mutex is held. */
static void subscription_count(struct tprof_subscription *sub, unsigned int cpu, struct tprof_source_count *count)
{
	*count = sub->past[cpu];
	if (sub->source && is_on_cpu(sub, cpu)) {
		struct tprof_source_count now;

		source_read(sub->source, cpu, &now);
		sub_count(&now, &sub->base[cpu]);
		/* The past of the next sample is more than what has come since. */
		if ((s64)now.value < 0)
			now.value = 0;
		add_count(count, &now);
	}
}

static void leave(struct tprof_subscription *sub)
{
	struct tprof_source *source = sub->source;
	unsigned int cpu;

	list_del(&sub->node);
	source_settle(source);
	/* Where nobody else wants it, it does not fire any more; what it captured is still to be delivered. */
	source_update_cpus(source);
	tprof_quiesce();
	source_withdraw(source, sub);
	atomic_sub(sub->wants_stacks, &source->kernel_stacks);
	tprof_quiesce();
	/* Only now: what was on its way counts too. */
	for_each_possible_cpu(cpu)
		subscription_count(sub, cpu, &sub->past[cpu]);
	source_update_period(source);
	sub->source = NULL;
	source_put(source);
}

int tprof_subscribe(struct tprof_subscription *sub)
{
	struct tprof_source *source;
	int err;

	mutex_lock(&sources_mutex);
	source = source_get(sub);
	if (!source) {
		mutex_unlock(&sources_mutex);
		return -ENOMEM;
	}
	sub->source = source;
	list_add_tail(&sub->node, &source->users);
	atomic_add(sub->wants_stacks, &source->kernel_stacks);
	err = source_update_period(source);
	if (!err)
		err = join(sub);
	if (!err)
		err = source_update_cpus(source);
	if (err)
		leave(sub);
	mutex_unlock(&sources_mutex);
	return err;
}

void tprof_unsubscribe(struct tprof_subscription *sub)
{
	if (!sub->source)
		return;
	mutex_lock(&sources_mutex);
	leave(sub);
	mutex_unlock(&sources_mutex);
}

int tprof_subscription_set_period(struct tprof_subscription *sub, u64 period)
{
	int err = 0;

	if (!period != !sub->period || period < sub->ops->min_period ||
	    (sub->ops->max_period && period > sub->ops->max_period) || period > S64_MAX)
		return -EINVAL;
	mutex_lock(&sources_mutex);
	WRITE_ONCE(sub->period, period);
	if (sub->source)
		err = source_update_period(sub->source);
	mutex_unlock(&sources_mutex);
	return err;
}

void tprof_subscription_read(struct tprof_subscription *sub, int cpu, struct tprof_source_count *sum)
{
	struct tprof_source_count count;
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	mutex_lock(&sources_mutex);
	for_each_possible_cpu(i) {
		if (cpu >= 0 && i != (unsigned int)cpu)
			continue;
		subscription_count(sub, i, &count);
		add_count(sum, &count);
	}
	mutex_unlock(&sources_mutex);
}

void tprof_subscription_settle(struct tprof_subscription *sub)
{
	mutex_lock(&sources_mutex);
	if (sub->source)
		source_settle(sub->source);
	mutex_unlock(&sources_mutex);
}

void tprof_subscription_clear(struct tprof_subscription *sub)
{
	mutex_lock(&sources_mutex);
	memset(sub->past, 0, nr_cpu_ids * sizeof(*sub->past));
	if (sub->source)
		remember_base(sub);
	mutex_unlock(&sources_mutex);
}

void tprof_subscription_want_stacks(struct tprof_subscription *sub, bool wanted)
{
	mutex_lock(&sources_mutex);
	if (sub->source)
		atomic_add(wanted - sub->wants_stacks, &sub->source->kernel_stacks);
	sub->wants_stacks = wanted;
	mutex_unlock(&sources_mutex);
}

static int check_period(const struct tprof_source_ops *ops, u64 period)
{
	if (!period)
		return ops->can_count ? 0 : -EINVAL;
	if (period < ops->min_period || (ops->max_period && period > ops->max_period) || period > S64_MAX)
		return -EINVAL;
	return 0;
}

int tprof_subscription_open(struct tprof_subscription *sub, struct tprof_session *session, u32 index,
			    const struct tprof_source_ops *ops, const void *attr, size_t attr_size, u64 period)
{
	int err = check_period(ops, period);

	if (err)
		return err;
	if (attr_size && !ops->parse)
		return -EINVAL;
	memset(sub, 0, sizeof(*sub));
	sub->session = session;
	sub->index = index;
	sub->ops = ops;
	sub->period = period;
	sub->attr = kzalloc(ops->event_size + 1, GFP_KERNEL);
	sub->base = kcalloc(nr_cpu_ids, sizeof(*sub->base), GFP_KERNEL);
	sub->past = kcalloc(nr_cpu_ids, sizeof(*sub->past), GFP_KERNEL);
	err = sub->attr && sub->base && sub->past ? 0 : -ENOMEM;
	if (!err && ops->parse)
		err = ops->parse(attr, attr_size, sub->attr);
	if (!err && ops->check)
		err = ops->check(sub->attr, period);
	if (err) {
		kfree(sub->attr);
		kfree(sub->base);
		kfree(sub->past);
	}
	return err;
}

void tprof_subscription_close(struct tprof_subscription *sub)
{
	WARN_ON_ONCE(sub->source);
	kfree(sub->attr);
	kfree(sub->base);
	kfree(sub->past);
	tprof_source_ops_put(sub->ops);
}

static void settle(struct work_struct *work)
{
	struct tprof_source *source;

	mutex_lock(&sources_mutex);
	list_for_each_entry(source, &tprof_sources, list) {
		/* A CPU without this event is no reason to stop the others. */
		if (source_update_cpus(source))
			pr_warn_ratelimited("tprof: source %s cannot be started on a CPU that came\n",
					    source->ops->name);
	}
	mutex_unlock(&sources_mutex);
}

static DECLARE_WORK(settle_work, settle);

int tprof_sources_cpu_online(unsigned int cpu)
{
	struct tprof_source *source;

	mutex_lock(&cpus_mutex);
	list_for_each_entry(source, &tprof_sources, list)
		per_cpu_ptr(source->cpu, cpu)->gone = true;
	mutex_unlock(&cpus_mutex);
	schedule_work(&settle_work);
	return 0;
}

void tprof_sources_cpu_offline(unsigned int cpu)
{
	struct tprof_source *source;

	mutex_lock(&cpus_mutex);
	list_for_each_entry(source, &tprof_sources, list) {
		if (source->ops->offline)
			source->ops->offline(source, cpu);
		per_cpu_ptr(source->cpu, cpu)->gone = true;
	}
	mutex_unlock(&cpus_mutex);
	schedule_work(&settle_work);
}

void tprof_sources_settle(void)
{
	flush_work(&settle_work);
}

void tprof_source_for_each(void (*show)(struct tprof_source *source, void *ctx), void *ctx)
{
	struct tprof_source *source;

	mutex_lock(&sources_mutex);
	list_for_each_entry(source, &tprof_sources, list)
		show(source, ctx);
	mutex_unlock(&sources_mutex);
}

u64 tprof_source_fired(const struct tprof_source *source)
{
	unsigned int cpu;
	u64 fired = 0;

	for_each_possible_cpu(cpu)
		fired += READ_ONCE(per_cpu_ptr(source->cpu, cpu)->fired);
	return fired;
}
