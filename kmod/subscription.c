// SPDX-License-Identifier: GPL-2.0-only
/*
 * Subscriptions: a session joins a source on each of its CPUs, gets a share of the samples and of the counts, and
 * leaves. What they change is under the sources mutex (S).
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "choice.h"
#include "cpu_source.h"
#include "factors.h"
#include "session.h"
#include "source.h"
#include "stage.h"
#include "wait_follow.h"

bool tprof_subscription_is_on(const struct tprof_subscription *sub, unsigned int cpu)
{
	return sub->session->all_cpus || cpumask_test_cpu(cpu, sub->session->cpus);
}

/* The CPUs on which samples for the subscription are captured, or may be staged. */
static const struct cpumask *subscription_cpus(const struct tprof_subscription *sub)
{
	static struct cpumask cpus;	/* S: valid until the next call */

	lockdep_assert_held(&tprof_sources_mutex);
	if (sub->session->all_cpus)
		return sub->source->cpus;
	cpumask_and(&cpus, sub->source->cpus, sub->session->cpus);
	return &cpus;
}

/* The bases of CPUs that the session does not sample are not used. */
static void remember_base(struct tprof_subscription *sub)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (tprof_subscription_is_on(sub, cpu))
			tprof_source_read(sub->source, cpu, &sub->base[cpu]);
	}
}

/*
 * Returns the initial carry. A session with a longer period than its source starts at a random phase of its period,
 * different on each CPU, so that CPUs do not decimate in lockstep. The seed is drawn by the caller, because on
 * PREEMPT_RT random numbers are not available with interrupts disabled.
 */
static s64 begin_at(const struct tprof_subscription *sub, unsigned int cpu, u64 seed)
{
	return sub->source->period < sub->period ? (seed + hash_64(cpu, 64)) % sub->period : 0;
}

static s64 *carry_of(struct tprof_subscription *sub, unsigned int cpu)
{
	return &per_cpu_ptr(sub->session->cpu, cpu)->carry[sub->index];
}

struct joining {
	struct tprof_subscription *sub;
	u64 seed;
};

/*
 * Starts the subscription on this CPU, atomically with respect to samples (interrupts disabled). The session gets and
 * counts only what happens from now on: neither samples that were captured before, nor the part of the next sample's
 * weight that has already elapsed.
 */
static void join_here(void *info)
{
	const struct joining *joining = info;
	struct tprof_subscription *sub = joining->sub;
	struct tprof_source *source = sub->source;
	const struct tprof_source_cpu *c = this_cpu_ptr(source->cpu);
	unsigned int cpu = smp_processor_id();
	u64 past;

	if (!c->running)
		return;
	past = tprof_source_settle_here(source);
	tprof_stage_drain();
	*carry_of(sub, cpu) = begin_at(sub, cpu, joining->seed) - past;
	if (source->ops->read)
		sub->base[cpu].value += c->weight;
	else
		sub->base[cpu].value = c->weight + past;
}

/* A counter and the weight of the samples beside it, from before and after. */
struct reading {
	struct tprof_source_count count;
	u64 before, after;
};

/* At the same time, if samples are not too frequent for that. */
static void read_beside(const struct tprof_subscription *sub, unsigned int cpu, struct reading *reading)
{
	const struct tprof_source_cpu *c = per_cpu_ptr(sub->source->cpu, cpu);
	unsigned int tries = 10;

	do {
		reading->before = smp_load_acquire(&c->weight);
		tprof_source_read(sub->source, cpu, &reading->count);
		reading->after = READ_ONCE(c->weight);
	} while (reading->after != reading->before && --tries);
}

/*
 * The base of a CPU on which join_here() will run, with interrupts enabled. A counter cannot be read there, so the
 * weight of the samples until then is added there. Samples during the reading are left out twice, so the counter is
 * never ahead of the ledger.
 */
static void begin_joining(struct tprof_subscription *sub, unsigned int cpu)
{
	struct reading reading;

	*carry_of(sub, cpu) = -TPROF_OUTSIDE;
	if (!tprof_subscription_is_on(sub, cpu))
		return;
	read_beside(sub, cpu, &reading);
	sub->base[cpu] = reading.count;
	sub->base[cpu].value -= reading.before;
}

/*
 * Publishes the subscription and joins it on each CPU that the session samples. Samples on a CPU that has not joined
 * yet are skipped.
 */
static int join(struct tprof_subscription *sub)
{
	struct joining joining = { .sub = sub, .seed = get_random_u64() };
	unsigned int cpu;
	int err;

	/* The sessions that sample already get what has accumulated. */
	if (sub->source->ops->collect)
		sub->source->ops->collect(sub->source, sub->source->cpus);
	cpus_read_lock();
	remember_base(sub);
	for_each_possible_cpu(cpu) {
		if (per_cpu_ptr(sub->source->cpu, cpu)->running && cpu_online(cpu))
			begin_joining(sub, cpu);
		else
			*carry_of(sub, cpu) = begin_at(sub, cpu, joining.seed);
	}
	err = tprof_source_publish(sub->source, false);
	if (!err)
		on_each_cpu_mask(subscription_cpus(sub), join_here, &joining, 1);
	cpus_read_unlock();
	return err;
}

/* Reads the counts of a CPU since the session was first started or cleared. With the sources mutex held. */
static void subscription_count(struct tprof_subscription *sub, unsigned int cpu, struct tprof_source_count *count)
{
	*count = sub->past[cpu];
	if (sub->source && tprof_subscription_is_on(sub, cpu)) {
		struct tprof_source_count now;

		tprof_source_read(sub->source, cpu, &now);
		tprof_count_sub(&now, &sub->base[cpu]);
		/* Negative until the sample has fired whose elapsed part join_here() added to the base. */
		if ((s64)now.value < 0)
			now.value = 0;
		tprof_count_add(count, &now);
	}
}

/*
 * Ends the subscription on this CPU, atomically with respect to samples: the session gets those that were captured
 * before. From here on, its base grows with the weight of the samples that it does not get, see count_last().
 */
static void leave_here(void *info)
{
	struct tprof_subscription *sub = info;
	unsigned int cpu = smp_processor_id();

	tprof_stage_drain();
	*carry_of(sub, cpu) = -TPROF_OUTSIDE;
	sub->base[cpu].value -= this_cpu_ptr(sub->source->cpu)->weight;
}

/* Adds the counts of a CPU that the session has left. Samples during the reading are left out. */
static void count_last(struct tprof_subscription *sub, unsigned int cpu)
{
	struct tprof_source_count *past = &sub->past[cpu];
	struct reading reading;

	if (!tprof_subscription_is_on(sub, cpu))
		return;
	read_beside(sub, cpu, &reading);
	tprof_count_sub(&reading.count, &sub->base[cpu]);
	if (tprof_carry_is_outside(*carry_of(sub, cpu)))
		reading.count.value -= reading.after;
	if ((s64)reading.count.value < 0)
		reading.count.value = 0;
	tprof_count_add(past, &reading.count);
}

static void leave(struct tprof_subscription *sub)
{
	struct tprof_source *source = sub->source;
	unsigned int cpu;

	list_del(&sub->node);
	tprof_source_settle(source, subscription_cpus(sub));
	/* Stops the source on CPUs that no other subscription uses. */
	tprof_source_update_cpus(source);
	on_each_cpu_mask(subscription_cpus(sub), leave_here, sub, 1);
	tprof_source_publish(source, true);
	atomic64_sub(sub->wants, &source->wants);
	/* On all CPUs of the source: a delivery reads all subscriptions, also those of sessions without its CPU. */
	tprof_quiesce(source->cpus);
	tprof_source_forget_cpus(source);
	for_each_possible_cpu(cpu)
		count_last(sub, cpu);
	tprof_source_update_period(source);
	tprof_factors_keep(source);
	sub->source = NULL;
}

/* Tests whether an online CPU of the session has the event: a PMU may be that of some CPUs only. */
static bool has_event(const struct tprof_subscription *sub)
{
	bool absent = false;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		const struct tprof_source_cpu *c = per_cpu_ptr(sub->source->cpu, cpu);

		if (!tprof_subscription_is_on(sub, cpu))
			continue;
		if (c->running)
			return true;
		absent |= c->absent;
	}
	return !absent;
}

int tprof_subscribe(struct tprof_subscription *sub)
{
	struct tprof_source *source = sub->held;
	int err;

	mutex_lock(&tprof_sources_mutex);
	sub->source = source;
	list_add_tail(&sub->node, &source->users);
	atomic64_add(sub->wants, &source->wants);
	err = tprof_source_update_period(source);
	tprof_factors_restore(sub);
	if (!err)
		err = join(sub);
	if (!err)
		err = tprof_source_update_cpus(source);
	if (!err && !has_event(sub))
		err = -EOPNOTSUPP;
	if (err)
		leave(sub);
	else
		tprof_source_note_factors(source);
	mutex_unlock(&tprof_sources_mutex);
	return err;
}

void tprof_unsubscribe(struct tprof_subscription *sub)
{
	if (!sub->source)
		return;
	mutex_lock(&tprof_sources_mutex);
	leave(sub);
	mutex_unlock(&tprof_sources_mutex);
}

int tprof_subscription_set_period(struct tprof_subscription *sub, u64 period)
{
	const struct tprof_source_ops *ops = sub->choice->ops;
	u64 old = sub->period;
	int err = 0;

	if (!period != !sub->period || period < ops->min_period || (ops->max_period && period > ops->max_period) ||
	    period > S64_MAX)
		return -EINVAL;
	mutex_lock(&tprof_sources_mutex);
	WRITE_ONCE(sub->period, period);
	if (sub->source)
		err = tprof_source_update_period(sub->source);
	if (err) {
		WRITE_ONCE(sub->period, old);
		tprof_source_update_period(sub->source);
		/* Restart it on CPUs where the failed change left it stopped. */
		tprof_source_update_cpus(sub->source);
	}
	mutex_unlock(&tprof_sources_mutex);
	return err;
}

void tprof_subscription_read(struct tprof_subscription *sub, int cpu, struct tprof_source_count *sum)
{
	struct tprof_source_count count;
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	mutex_lock(&tprof_sources_mutex);
	for_each_possible_cpu(i) {
		if (cpu >= 0 && i != (unsigned int)cpu)
			continue;
		subscription_count(sub, i, &count);
		tprof_count_add(sum, &count);
	}
	mutex_unlock(&tprof_sources_mutex);
}

void tprof_subscription_settle(struct tprof_subscription *sub)
{
	mutex_lock(&tprof_sources_mutex);
	if (sub->source)
		tprof_source_settle(sub->source, subscription_cpus(sub));
	mutex_unlock(&tprof_sources_mutex);
}

void tprof_subscription_clear(struct tprof_subscription *sub)
{
	mutex_lock(&tprof_sources_mutex);
	memset(sub->past, 0, nr_cpu_ids * sizeof(*sub->past));
	sub->period_factor = 0;
	if (sub->source) {
		remember_base(sub);
		tprof_source_note_factors(sub->source);
	}
	mutex_unlock(&tprof_sources_mutex);
}

void tprof_subscription_want(struct tprof_subscription *sub, s64 wants)
{
	mutex_lock(&tprof_sources_mutex);
	if (sub->source)
		atomic64_add(wants - sub->wants, &sub->source->wants);
	sub->wants = wants;
	mutex_unlock(&tprof_sources_mutex);
}

static bool pay(const struct tprof_payer *payer, const struct tprof_source_ops *ops)
{
	if (!tprof_payer_take(payer, TPROF_EVENTS, 1))
		return false;
	if (!tprof_waits_are_of(ops) || tprof_payer_take(payer, TPROF_WAITS, 1))
		return true;
	tprof_payer_give(payer, TPROF_EVENTS, 1);
	return false;
}

static void subscription_free(struct tprof_subscription *sub)
{
	const struct tprof_payer *payer = &sub->session->payer;

	kfree(sub->base);
	kfree(sub->past);
	if (tprof_waits_are_of(sub->choice->ops))
		tprof_payer_give(payer, TPROF_WAITS, 1);
	tprof_payer_give(payer, TPROF_EVENTS, 1);
}

int tprof_subscription_open(struct tprof_subscription *sub, struct tprof_session *session, u32 index,
			    struct tprof_choice *choice)
{
	if (!pay(&session->payer, choice->ops))
		return -ENOSPC;
	memset(sub, 0, sizeof(*sub));
	sub->session = session;
	sub->index = index;
	sub->choice = choice;
	sub->period = choice->period;
	sub->base = kcalloc(nr_cpu_ids, sizeof(*sub->base), TPROF_GFP);
	sub->past = kcalloc(nr_cpu_ids, sizeof(*sub->past), TPROF_GFP);
	if (sub->base && sub->past)
		return 0;
	subscription_free(sub);
	return -ENOMEM;
}

void tprof_subscription_close(struct tprof_subscription *sub)
{
	WARN_ON_ONCE(sub->source || sub->held);
	subscription_free(sub);
	tprof_choice_free(sub->choice);
}
