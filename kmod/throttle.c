// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling, in two halves. The check, in the delivery, compares the time that samples have taken on its CPU with the
 * budget. The update, in a work item, changes periods: that needs the sources mutex, and calls other CPUs.
 *
 * A sampled CPU can be busy with nothing else, so the work item is not bound to it. If it is the only CPU, the kernel
 * delays a timer that is late after each expiry, and the work item runs then.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/workqueue.h>

#include "cpu_source.h"
#include "deliver.h"
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
/* Periods become shorter again after this time below half of the budget. */
#define QUIET_US	1000000

struct throttle {
	u64 checked_at;				/* c: tprof_clock() at the last check */
	u64 check_at;				/* c: the next check is not before that time */
	u64 busy;				/* c: time that samples had taken by then */
	u64 quiet;				/* c: time since then below half of the budget, in tprof_clock() */
	u32 load;				/* c, read by the work item: share of the last window */
	bool lengthened;			/* written by the work item: a source has a longer period */
};

static DEFINE_PER_CPU(struct throttle, throttles);
unsigned int tprof_cpu_time_max_percent = 5;

static void update(struct work_struct *work);

static DECLARE_WORK(update_work, update);
static struct cpumask due;			/* A: CPUs whose periods have to change */

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
 * Divides the load of the CPU among the sources, in proportion to their deliveries that were measured. Few are in a
 * window, at low rates only one, so those of earlier windows count, too, and less with each.
 */
static void divide(u32 load)
{
	struct tprof_source *source;
	u64 measured = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(source, &tprof_sources, list)
		measured += this_cpu_ptr(source->cpu)->measured;
	list_for_each_entry_rcu(source, &tprof_sources, list) {
		struct tprof_source_cpu *c = this_cpu_ptr(source->cpu);

		WRITE_ONCE(c->load, measured ? mul_u64_u64_div_u64(load, c->measured, measured) : 0);
		c->measured -= c->measured / 16;
	}
	rcu_read_unlock();
}

static noinline void check(u64 now)
{
	struct throttle *t = this_cpu_ptr(&throttles);
	u64 elapsed = now - t->checked_at, busy = __this_cpu_read(tprof_delivery.busy);
	u32 load;

	load = share_of(busy - t->busy, elapsed);
	divide(load);
	t->checked_at = now;
	t->check_at = now + clock_of_us(WINDOW_US);
	t->busy = busy;
	WRITE_ONCE(t->load, load);
	t->quiet = load < budget() / 2 ? t->quiet + elapsed : 0;
	if (load <= budget() && (!READ_ONCE(t->lengthened) || t->quiet < clock_of_us(QUIET_US)))
		return;
	t->quiet = 0;
	cpumask_set_cpu(smp_processor_id(), &due);
	queue_work(system_unbound_wq, &update_work);
}

/*
 * The calls of filters add their time to tprof_delivery.busy themselves. The overhead of all deliveries is estimated. A
 * delivery that took far longer than usual was interrupted by a hypervisor or an NMI, so it counts as a few usual ones.
 */
void tprof_throttle_measured(struct tprof_source_cpu *c, u64 took, u64 overhead, u64 now)
{
	u64 usual = c->overhead ?: overhead;

	c->overhead = (7 * usual + min(overhead, 4 * usual)) / 8;
	c->measured += took;
	__this_cpu_add(tprof_delivery.busy, TPROF_MEASURED_EVERY * c->overhead);
	/* Signed: some clocks go backwards across a suspend. */
	if ((s64)(now - __this_cpu_read(throttles.check_at)) >= 0)
		check(now);
}

/* What the update of a CPU needs to know about its sources, and finds out. */
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
	u32 factor, load;
	struct plan *plan = ctx;

	factor = per_cpu_ptr(source->cpu, plan->cpu)->factor;
	load = load_of(source, plan->cpu);
	set_factor(source, plan, load > plan->cap ? DIV_ROUND_UP_ULL((u64)factor * load, plan->cap) : factor);
}

static void shorten(struct tprof_source *source, void *ctx)
{
	struct plan *plan = ctx;

	set_factor(source, plan, per_cpu_ptr(source->cpu, plan->cpu)->factor / 2);
}

static void update_cpu(unsigned int cpu)
{
	struct throttle *t = per_cpu_ptr(&throttles, cpu);
	struct plan plan = { .cpu = cpu, .longest = 1 };
	u32 load = READ_ONCE(t->load), most = budget();

	if (load > most) {
		/* A little less than the budget, so that the next window does not exceed it again. */
		find_cap(&plan, most / 5 * 4);
		tprof_source_for_each(lengthen, &plan);
		pr_notice_ratelimited("tprof: samples took %u %% of CPU %u (limit %u %%): up to %u times the period\n",
				      load / PERCENT, cpu, most / PERCENT, plan.longest);
	} else {
		tprof_source_for_each(shorten, &plan);
	}
	WRITE_ONCE(t->lengthened, plan.longest > 1);
}

static void update(struct work_struct *work)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (cpumask_test_and_clear_cpu(cpu, &due))
			update_cpu(cpu);
	}
}

void tprof_throttle_exit(void)
{
	cancel_work_sync(&update_work);
}
