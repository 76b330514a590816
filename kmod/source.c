// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sources: found or created for subscriptions, prepared, and freed. Owns the sources mutex (S). It is taken outside the
 * CPU hotplug lock, which many functions that create and free events take.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "choice.h"
#include "clock.h"
#include "cpu_source.h"
#include "factors.h"
#include "sample.h"
#include "session.h"
#include "source.h"
#include "stage.h"

DEFINE_MUTEX(tprof_sources_mutex);
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
	/* No reader is left. */
	kvfree(rcu_dereference_protected(source->subscribers, true));
	free_percpu(source->cpu);
	free_percpu(source->private);
	free_cpumask_var(source->cpus);
	kfree(source->event);
	kfree(source);
}

static void source_free_rcu(struct rcu_head *rcu)
{
	source_free(container_of(rcu, struct tprof_source, rcu));
}

static struct tprof_source *source_new(const struct tprof_source_ops *ops, const void *event, bool sampling)
{
	struct tprof_source *source = kzalloc(sizeof(*source), TPROF_GFP);
	struct tprof_subscribers *none;
	unsigned int cpu;

	if (!source)
		return NULL;
	source->ops = ops;
	source->id = ++last_id;
	source->sampling = sampling;
	INIT_LIST_HEAD(&source->users);
	mutex_init(&source->prepare_mutex);
	source->event = kmemdup(event, ops->event_size + 1, TPROF_GFP);
	source->cpu = alloc_percpu_gfp(struct tprof_source_cpu, TPROF_GFP);
	source->private = __alloc_percpu_gfp(max(ops->cpu_size, sizeof(long)), sizeof(u64), TPROF_GFP);
	none = kzalloc(sizeof(*none), TPROF_GFP);
	RCU_INIT_POINTER(source->subscribers, none);
	for_each_possible_cpu(cpu) {
		if (source->cpu)
			per_cpu_ptr(source->cpu, cpu)->factor = 1;
	}
	if (zalloc_cpumask_var(&source->cpus, TPROF_GFP) && source->event && source->cpu && source->private && none)
		return source;
	source_free(source);
	return NULL;
}

static struct tprof_source *source_find(const struct tprof_choice *choice)
{
	struct tprof_source *source;

	lockdep_assert_held(&tprof_sources_mutex);
	list_for_each_entry(source, &tprof_sources, list) {
		if (source->ops == choice->ops && source->sampling == !!choice->period &&
		    memcmp(source->event, choice->event, choice->ops->event_size) == 0)
			return source;
	}
	return NULL;
}

static struct tprof_source *source_get(const struct tprof_choice *choice)
{
	struct tprof_source *source = source_find(choice);

	if (source)
		return source;
	source = source_new(choice->ops, choice->event, choice->period);
	if (!source)
		return NULL;
	tprof_source_link(source);
	return source;
}

/* Allocates an array for all users, charged to the first of them. */
static struct tprof_subscribers *subscribers_new(struct tprof_source *source)
{
	struct tprof_subscription *first = list_first_entry_or_null(&source->users, struct tprof_subscription, node);
	struct tprof_subscribers *subscribers;
	struct mem_cgroup *before;

	if (!first)
		return kzalloc(sizeof(*subscribers), TPROF_GFP);
	before = tprof_payer_begin(&first->session->payer);
	subscribers = kvzalloc(struct_size(subscribers, list, list_count_nodes(&source->users)), TPROF_GFP);
	tprof_payer_end(before);
	return subscribers;
}

/* The old array is immutable and freed after a grace period. */
int tprof_source_publish(struct tprof_source *source, bool must)
{
	struct tprof_subscribers *old = rcu_dereference_protected(source->subscribers,
								  lockdep_is_held(&tprof_sources_mutex));
	struct tprof_subscribers *new = subscribers_new(source);
	struct tprof_subscription *sub;

	if (!new && must)
		new = kvzalloc(struct_size(new, list, list_count_nodes(&source->users)), GFP_KERNEL | __GFP_NOFAIL);
	if (!new)
		return -ENOMEM;
	if (source->sampling) {
		list_for_each_entry(sub, &source->users, node)
			new->list[new->nr++] = sub;
	}
	rcu_assign_pointer(source->subscribers, new);
	kvfree_rcu(old, rcu);
	return 0;
}

/*
 * Probes are registered here, not when the source is started on a CPU, because the kernel may wait for a grace period:
 * meanwhile no other source could start, and the events of a session would start at different times.
 */
static int prepare(struct tprof_source *source)
{
	int err = tprof_stage_get();

	if (!err && source->ops->prepare) {
		err = source->ops->prepare(source);
		if (err)
			tprof_stage_put();
	}
	return err;
}

static void unprepare(struct tprof_source *source)
{
	if (source->ops->unprepare)
		source->ops->unprepare(source);
	tprof_stage_put();
}

/*
 * Another session may be preparing the source, for any time: a signal ends the wait, not the preparation. A process
 * that was killed prepares no further source.
 */
static int source_prepare(struct tprof_source *source)
{
	int err = 0;

	if (mutex_lock_interruptible(&source->prepare_mutex))
		return -ERESTARTSYS;
	if (!source->prepared) {
		err = fatal_signal_pending(current) ? -EINTR : prepare(source);
		source->prepared = !err;
	}
	mutex_unlock(&source->prepare_mutex);
	return err;
}

int tprof_subscription_prepare(struct tprof_subscription *sub)
{
	int err;

	mutex_lock(&tprof_sources_mutex);
	sub->held = source_get(sub->choice);
	if (sub->held)
		sub->held->holders++;
	mutex_unlock(&tprof_sources_mutex);
	if (!sub->held)
		return -ENOMEM;
	err = source_prepare(sub->held);
	if (err)
		tprof_subscription_unprepare(sub);
	return err;
}

void tprof_subscription_unprepare(struct tprof_subscription *sub)
{
	struct tprof_source *source = sub->held;
	bool last;

	if (!source)
		return;
	sub->held = NULL;
	mutex_lock(&tprof_sources_mutex);
	last = !--source->holders;
	if (last)
		tprof_source_unlink(source);
	mutex_unlock(&tprof_sources_mutex);
	if (!last)
		return;
	if (source->prepared)
		unprepare(source);
	/* tprof_deliver_missed() may be walking the list of sources in an interrupt. */
	call_rcu(&source->rcu, source_free_rcu);
}

void tprof_source_for_each(void (*show)(struct tprof_source *source, void *ctx), void *ctx)
{
	struct tprof_source *source;

	mutex_lock(&tprof_sources_mutex);
	list_for_each_entry(source, &tprof_sources, list)
		show(source, ctx);
	mutex_unlock(&tprof_sources_mutex);
}

u64 tprof_source_fired(const struct tprof_source *source)
{
	unsigned int cpu;
	u64 fired = 0;

	for_each_possible_cpu(cpu)
		fired += READ_ONCE(per_cpu_ptr(source->cpu, cpu)->fired);
	return fired;
}

u64 tprof_source_delivery_ns(const struct tprof_source *source)
{
	unsigned int cpu;
	u64 spent = 0;

	for_each_possible_cpu(cpu)
		spent += READ_ONCE(per_cpu_ptr(source->cpu, cpu)->delivery);
	return tprof_clock_ns(spent);
}
