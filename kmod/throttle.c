// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling, in two halves. The delivery now and then compares the time that samples have taken on its CPU with the
 * budget. Work items change periods: that needs the sources mutex, and calls other CPUs.
 *
 * A sampled CPU can be busy with nothing else, so the work item is not bound to it. If it is the only CPU, the kernel
 * delays a timer that is late after each expiry, and the work item runs then.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "cpu_source.h"
#include "deliver.h"
#include "session.h"
#include "source.h"
#include "throttle.h"

/* Shares of the time of a CPU are in millionths. */
#define ALL_OF_CPU	1000000
#define PERCENT		(ALL_OF_CPU / 100)

/*
 * The time that is looked at, at least. In a shorter time, one call of a filter that a hypervisor has suspended would
 * exceed the budget.
 */
#define WINDOW_US	100000
/* How often periods are made shorter while samples take less than half of the budget. */
#define SHORTEN_MS	1000

struct throttle {
	u64 looked_at;				/* c: tprof_clock() at the last look */
	u64 look_at;				/* c: the next look is not before that time */
	u64 busy;				/* c: time that samples had taken by then */
	u32 load;				/* c, read by the work item: share of the last window */
	u32 longest;				/* under update_mutex: the largest factor of a source */
};

static DEFINE_PER_CPU(struct throttle, throttles);
unsigned int tprof_cpu_time_max_percent = 5;

static void update(struct work_struct *work);
static void shorten_all(struct work_struct *work);

static DECLARE_WORK(update_work, update);
static DECLARE_DELAYED_WORK(shorten_work, shorten_all);
static DEFINE_MUTEX(update_mutex);		/* one work item at a time; outside the sources mutex */
static struct cpumask due;			/* A: CPUs whose periods have to change */
static struct cpumask restored;			/* A: CPUs on which a source got a longer period back */

static u64 clock_of_us(unsigned int us)
{
	return div_u64(tprof_clock_hz() * us, USEC_PER_SEC);
}

static u32 share_of(u64 part, u64 whole)
{
	return part < whole ? mul_u64_u64_div_u64(part, ALL_OF_CPU, whole) : ALL_OF_CPU;
}

static u32 budget(void)
{
	unsigned int percent = READ_ONCE(tprof_cpu_time_max_percent);

	return percent && percent < 100 ? percent * PERCENT : U32_MAX;
}

/*
 * Divides the load of the CPU among the sources, in proportion to what is known of their costs: the time of filters, in
 * slices of their budgets, and the overhead of deliveries, which is measured for few of them. So earlier windows count,
 * too, and less with each.
 */
static void divide(u32 load)
{
	struct tprof_source *source;
	u64 costs = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(source, &tprof_sources, list)
		costs += this_cpu_ptr(source->cpu)->cost;
	list_for_each_entry_rcu(source, &tprof_sources, list) {
		struct tprof_source_cpu *c = this_cpu_ptr(source->cpu);

		WRITE_ONCE(c->load, costs ? mul_u64_u64_div_u64(load, c->cost, costs) : 0);
		c->cost -= c->cost / 16;
	}
	rcu_read_unlock();
}

/* Takes the load of a CPU since the last look. On that CPU with interrupts disabled. */
static void look(struct throttle *t, u64 now)
{
	u64 busy = __this_cpu_read(tprof_delivery.busy);
	u32 load = share_of(busy - t->busy, now - t->looked_at);

	divide(load);
	t->looked_at = now;
	t->look_at = now + clock_of_us(WINDOW_US);
	t->busy = busy;
	WRITE_ONCE(t->load, load);
	if (load <= budget())
		return;
	cpumask_set_cpu(smp_processor_id(), &due);
	queue_work(system_unbound_wq, &update_work);
}

static void look_now_and_then(u64 now)
{
	struct throttle *t = this_cpu_ptr(&throttles);

	/* Signed: some clocks go backwards across a suspend. */
	if ((s64)(now - t->look_at) >= 0)
		look(t, now);
}

/*
 * The calls of filters add their time to tprof_delivery.busy themselves. The overhead of the deliveries since the last
 * one that was measured is estimated. A delivery that took longer than usual may have been interrupted by a hypervisor
 * or an NMI, so it counts little, and the first one not at all.
 */
void tprof_throttle_measured(struct tprof_source_cpu *c, u64 overhead, u64 now)
{
	u64 usual = c->overhead, deliveries = usual ? c->fired - c->fired_before : 0;

	c->overhead = usual && overhead > usual ? (7 * usual + min(overhead, 4 * usual)) / 8 : overhead;
	c->fired_before = c->fired;
	c->cost += deliveries * c->overhead;
	__this_cpu_add(tprof_delivery.busy, deliveries * c->overhead);
	look_now_and_then(now);
}

void tprof_throttle_spent(struct tprof_source *source, u64 spent, u64 now)
{
	this_cpu_ptr(source->cpu)->cost += spent;
	look_now_and_then(now);
}

/* An update of the periods of one CPU: its limits, and sums over all sources. */
struct plan {
	unsigned int cpu;
	u32 cap;				/* the share that each source may take */
	u64 sum;				/* the share that all take with this cap */
	u32 longest;				/* the largest factor */
};

static u32 load_of(const struct tprof_source *source, unsigned int cpu)
{
	return READ_ONCE(per_cpu_ptr(source->cpu, cpu)->load);
}

static void add_capped(struct tprof_source *source, void *ctx)
{
	struct plan *plan = ctx;

	plan->sum += min(load_of(source, plan->cpu), plan->cap);
}

/* Finds the largest cap with which all sources together stay within @budget: who takes little is not affected. */
static void find_cap(struct plan *plan, u32 budget)
{
	u32 low = 1, high = budget;

	while (low + 1 < high) {
		plan->cap = low + (high - low) / 2;
		plan->sum = 0;
		tprof_source_for_each(add_capped, plan);
		if (plan->sum <= budget)
			low = plan->cap;
		else
			high = plan->cap;
	}
	plan->cap = low;
}

static void set_factor(struct tprof_source *source, struct plan *plan, u64 factor)
{
	factor = clamp(factor, 1, TPROF_MAX_PERIOD_FACTOR);
	tprof_source_set_factor(source, plan->cpu, factor);
	plan->longest = max(plan->longest, per_cpu_ptr(source->cpu, plan->cpu)->factor);
}

static void lengthen(struct tprof_source *source, void *ctx)
{
	struct tprof_subscription *sub;
	struct plan *plan = ctx;
	u32 factor, load;

	factor = per_cpu_ptr(source->cpu, plan->cpu)->factor;
	load = load_of(source, plan->cpu);
	set_factor(source, plan, load > plan->cap ? DIV_ROUND_UP_ULL((u64)factor * load, plan->cap) : factor);
	if (load <= plan->cap)
		return;
	list_for_each_entry(sub, &source->users, node)
		tprof_payer_blame(&sub->session->payer);
}

/* Where a source has taken next to nothing of its share, its period may become much shorter at once. */
static void shorten(struct tprof_source *source, void *ctx)
{
	struct plan *plan = ctx;
	u32 times = clamp(plan->cap / max(load_of(source, plan->cpu), 1U), 2, 16);

	set_factor(source, plan, per_cpu_ptr(source->cpu, plan->cpu)->factor / times);
}

static void keep(struct tprof_source *source, void *ctx)
{
	struct plan *plan = ctx;

	plan->longest = max(plan->longest, per_cpu_ptr(source->cpu, plan->cpu)->factor);
}

static void look_here(void *unused)
{
	look_now_and_then(tprof_clock());
}

static void lengthen_on(unsigned int cpu)
{
	struct throttle *t = per_cpu_ptr(&throttles, cpu);
	struct plan plan = { .cpu = cpu, .longest = 1 };
	u32 load = READ_ONCE(t->load), most = budget();

	/* A little less than the budget, so that the next window does not exceed it again. */
	find_cap(&plan, most / 5 * 4);
	tprof_source_for_each(lengthen, &plan);
	t->longest = plan.longest;
	pr_notice_ratelimited("tprof: samples took %u %% of CPU %u (limit %u %%): up to %u times the period\n",
			      load / PERCENT, cpu, most / PERCENT, plan.longest);
}

static void update(struct work_struct *work)
{
	unsigned int cpu;

	mutex_lock(&update_mutex);
	for_each_possible_cpu(cpu) {
		if (cpumask_test_and_clear_cpu(cpu, &due) && budget() != U32_MAX)
			lengthen_on(cpu);
	}
	mutex_unlock(&update_mutex);
	queue_delayed_work(system_unbound_wq, &shorten_work, msecs_to_jiffies(SHORTEN_MS));
}

/*
 * On each CPU with a longer period. Does not rely on samples: with a period that is much too long, there are hardly
 * any. An offline CPU takes no samples.
 */
static void shorten_all(struct work_struct *work)
{
	bool again = false;
	unsigned int cpu;

	mutex_lock(&update_mutex);
	for_each_possible_cpu(cpu) {
		struct throttle *t = per_cpu_ptr(&throttles, cpu);
		struct plan plan = { .cpu = cpu, .longest = 1, .cap = min(budget(), ALL_OF_CPU) / 2 };

		if (!cpumask_test_and_clear_cpu(cpu, &restored) && t->longest <= 1)
			continue;
		if (smp_call_function_single(cpu, look_here, NULL, 1))
			WRITE_ONCE(t->load, 0);
		tprof_source_for_each(READ_ONCE(t->load) < plan.cap ? shorten : keep, &plan);
		t->longest = plan.longest;
		again |= plan.longest > 1;
	}
	mutex_unlock(&update_mutex);
	if (again)
		queue_delayed_work(system_unbound_wq, &shorten_work, msecs_to_jiffies(SHORTEN_MS));
}

void tprof_throttle_restored(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &restored);
	queue_delayed_work(system_unbound_wq, &shorten_work, msecs_to_jiffies(SHORTEN_MS));
}

void tprof_throttle_exit(void)
{
	cancel_work_sync(&update_work);
	cancel_delayed_work_sync(&shorten_work);
}
