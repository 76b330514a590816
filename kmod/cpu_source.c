// SPDX-License-Identifier: GPL-2.0-only
/*
 * A source on its CPUs: runs on the CPUs on which a subscription needs it, with the shortest period of all, across CPU
 * hotplug.
 *
 * The CPU hotplug callbacks cannot take the sources mutex (lock order), so they take cpus_mutex only. They mark the
 * sources of a CPU as gone when it goes offline, and again when it comes online, for sources that were started while it
 * went. A work item updates these sources afterwards.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "cpu_source.h"
#include "factors.h"
#include "session.h"
#include "source.h"
#include "stage.h"
#include "throttle.h"
#include "tprof_trace.h"

/* Together a tenth of a second. An interrupt that is later than that is not waited for. */
#define SETTLE_TRIES 200
#define SETTLE_SLEEP_US 500

/* Nests inside the sources mutex and the CPU hotplug lock. */
static DEFINE_MUTEX(cpus_mutex);

void tprof_source_link(struct tprof_source *source)
{
	mutex_lock(&cpus_mutex);
	list_add_tail_rcu(&source->list, &tprof_sources);
	mutex_unlock(&cpus_mutex);
}

void tprof_source_unlink(struct tprof_source *source)
{
	mutex_lock(&cpus_mutex);
	list_del_rcu(&source->list);
	mutex_unlock(&cpus_mutex);
}

static bool is_wanted(const struct tprof_source *source, unsigned int cpu)
{
	const struct tprof_subscription *sub;

	list_for_each_entry(sub, &source->users, node) {
		if (tprof_subscription_is_on(sub, cpu))
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

/* Reads the counter of a CPU since the source was last started there. */
static void source_read_cpu(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);

	memset(count, 0, sizeof(*count));
	if (source->ops->read)
		source->ops->read(source, cpu, count);
	else
		count->enabled_ns = count->running_ns = ktime_get_ns() - c->started_ns;
}

void tprof_source_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);
	struct tprof_source_count now;

	*count = c->past;
	if (c->running) {
		source_read_cpu(source, cpu, &now);
		tprof_count_add(count, &now);
	}
	/* Pairs with add_weight(): before the ledgers, if these are read afterwards. */
	if (!source->ops->read)
		count->value = smp_load_acquire(&c->weight);
}

/* The period with which the source fires on a CPU. */
static u64 period_on(const struct tprof_source *source, unsigned int cpu)
{
	u64 longest = source->ops->max_period ?: S64_MAX, period;

	if (check_mul_overflow(source->period, (u64)per_cpu_ptr(source->cpu, cpu)->factor, &period))
		return longest;
	return min(period, longest);
}

/*
 * The factor with which the period on a CPU is not below its floor. So a client that changes its period, or leaves the
 * source to others, does not change how often the source may fire.
 */
static u32 factor_of_floor(const struct tprof_source *source, unsigned int cpu)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);

	if (c->factor == 1 && time_after(jiffies, c->floor_until))
		c->floor = 0;
	if (!source->period || c->floor <= source->period)
		return 1;
	return min(DIV64_U64_ROUND_UP(c->floor, source->period), TPROF_MAX_PERIOD_FACTOR);
}

static int source_start_cpu(struct tprof_source *source, unsigned int cpu)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);
	int err;

	if (c->running)
		return 0;
	c->started_ns = ktime_get_ns();
	cpumask_set_cpu(cpu, source->cpus);
	err = source->ops->start(source, cpu, period_on(source, cpu));
	c->running = !err;
	c->absent = err == -ENXIO;
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
	tprof_count_add(&c->past, &count);
	c->running = false;
}

/* Tests and clears tprof_source_cpu.gone. */
static bool take_gone(struct tprof_source_cpu *c)
{
	bool gone;

	mutex_lock(&cpus_mutex);
	gone = c->gone;
	c->gone = false;
	mutex_unlock(&cpus_mutex);
	return gone;
}

int tprof_source_update_cpus(struct tprof_source *source)
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
		/* The CPU is going offline, and its hotplug callback schedules an update; or it lacks the event. */
		if (err != -ENODEV && err != -ENXIO)
			first_err = first_err ?: err;
	}
	return first_err;
}

static int change_period_cpu(struct tprof_source *source, unsigned int cpu)
{
	if (source->ops->set_period)
		return source->ops->set_period(source, cpu, period_on(source, cpu));
	source_stop_cpu(source, cpu);
	return source_start_cpu(source, cpu);
}

int tprof_source_update_period(struct tprof_source *source)
{
	u64 period = shortest_period(source);
	int err, first_err = 0;
	unsigned int cpu;

	if (list_empty(&source->users) || period == source->period)
		return 0;
	source->period = period;
	for_each_possible_cpu(cpu) {
		struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);

		c->factor = factor_of_floor(source, cpu);
		if (c->factor > 1)
			tprof_throttle_restored(cpu);
		if (!c->running)
			continue;
		err = change_period_cpu(source, cpu);
		/* The CPU is offline; the source starts with the new period when it comes online, or has already. */
		if (err != -ENODEV)
			first_err = first_err ?: err;
	}
	tprof_source_note_factors(source);
	return first_err;
}

void tprof_source_note_factors(struct tprof_source *source)
{
	struct tprof_subscription *sub;
	unsigned int cpu;

	list_for_each_entry(sub, &source->users, node) {
		for_each_possible_cpu(cpu) {
			u64 factor;

			if (!sub->period || !tprof_subscription_is_on(sub, cpu))
				continue;
			factor = DIV64_U64_ROUND_UP(period_on(source, cpu), sub->period);
			sub->period_factor = max(sub->period_factor, (u32)min(factor, U32_MAX));
		}
	}
}

static bool change_factor(struct tprof_source *source, unsigned int cpu, u32 factor)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);
	u32 before = c->factor;

	if (factor == before)
		return true;
	c->factor = factor;
	if (c->running && change_period_cpu(source, cpu)) {
		c->factor = before;
		/* Where the failed change left it stopped. */
		source_start_cpu(source, cpu);
	}
	trace_tprof_period(source->id, source->ops->name, cpu, period_on(source, cpu), c->factor);
	tprof_source_note_factors(source);
	return c->factor == factor;
}

static void set_floor(struct tprof_source_cpu *c, u64 floor)
{
	c->floor = floor;
	c->floor_until = jiffies + TPROF_KEEP_SECONDS * HZ;
}

void tprof_source_set_factor(struct tprof_source *source, unsigned int cpu, u32 factor)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);

	if (factor != c->factor && change_factor(source, cpu, factor))
		set_floor(c, period_on(source, cpu));
}

void tprof_source_raise_floor(struct tprof_source *source, unsigned int cpu, u64 floor)
{
	struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);

	if (floor <= c->floor)
		return;
	set_floor(c, floor);
	change_factor(source, cpu, factor_of_floor(source, cpu));
	if (c->factor > 1)
		tprof_throttle_restored(cpu);
}

u64 tprof_source_settle_here(struct tprof_source *source)
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

	tprof_source_settle_here(source);
	if (source->ops->due && this_cpu_ptr(source->cpu)->running && source->ops->due(source, settling->until_ns))
		atomic_inc(&settling->nr_due);
}

void tprof_source_forget_cpus(struct tprof_source *source)
{
	unsigned int cpu;

	for_each_cpu(cpu, source->cpus) {
		if (!per_cpu_ptr(source->cpu, cpu)->running)
			cpumask_clear_cpu(cpu, source->cpus);
	}
}

void tprof_source_settle(struct tprof_source *source, const struct cpumask *cpus)
{
	struct settling settling = { .source = source, .until_ns = ktime_get_ns() };
	int tries;

	if (source->ops->collect)
		source->ops->collect(source, cpus);
	if (!source->ops->settle)
		return;
	for (tries = 0; tries < SETTLE_TRIES; tries++) {
		atomic_set(&settling.nr_due, 0);
		on_each_cpu_mask(cpus, settle_here, &settling, 1);
		if (!atomic_read(&settling.nr_due))
			return;
		fsleep(SETTLE_SLEEP_US);
	}
}

/* If the source cannot be started on one CPU, it keeps running on the others. */
static void look_again(struct tprof_source *source, void *ctx)
{
	if (tprof_source_update_cpus(source))
		pr_warn_ratelimited("tprof: source %s cannot be started on a CPU that came\n", source->ops->name);
}

static void settle(struct work_struct *work)
{
	tprof_source_for_each(look_again, NULL);
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
