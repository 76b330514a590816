// SPDX-License-Identifier: GPL-2.0-only
/*
 * Budgets of filters: what happens when one has been exceeded, and what is left of it when a filter is replaced,
 * enabled or detached. filter_run.h charges each call, and disables the filter.
 */
#include <linux/cpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "filter.h"
#include "filter_budget.h"
#include "session.h"
#include "spent.h"
#include "tprof_trace.h"

u64 tprof_filter_budget(u32 permille)
{
	return mul_u64_u64_div_u64(tprof_filter_window, permille, 1000);
}

static void warn_over_budget(struct irq_work *work)
{
	const struct tprof_filter *filter = container_of(work, struct tprof_filter, warn);
	struct tprof_filter_owner owner = tprof_filter_owner(filter);

	pr_warn_ratelimited("tprof: filter %s of session %llu took over %u/1000 of a CPU and is switched off\n",
			    owner.name, filter->session->id, filter->session->budget_permille);
	trace_tprof_filter_disabled(filter->session->id, filter->id, owner.name);
}

/* Ends the one-second window of the budget on a CPU: the next call there starts another, whatever its clock says. */
static void forget_window(struct tprof_filter_cpu *cpu)
{
	cpu->left = 0;
	cpu->slice = 0;
	cpu->rest = 0;
	cpu->window_began = tprof_clock() - S64_MAX;
}

/* Called by on_each_cpu_mask() with interrupts disabled, so no filter is running on this CPU. */
static void forget_window_here(void *filter)
{
	forget_window(this_cpu_ptr(((struct tprof_filter *)filter)->cpu));
}

void tprof_filter_resume(struct tprof_filter *filter)
{
	const struct cpumask *cpus = tprof_session_cpus(filter->session);
	unsigned int cpu;

	WRITE_ONCE(filter->ops, filter->program);
	cpus_read_lock();
	on_each_cpu_mask(cpus, forget_window_here, filter, 1);
	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu) || !cpumask_test_cpu(cpu, cpus))
			forget_window(per_cpu_ptr(filter->cpu, cpu));
	}
	cpus_read_unlock();
	/* The warning prints the owner of the old program: print it before the caller changes the owner. */
	irq_work_sync(&filter->warn);
	filter->replaced = false;
	/* Again: a call that was running may have exceeded the old budget after the first write. */
	WRITE_ONCE(filter->ops, filter->program);
	WRITE_ONCE(filter->state, TPROF_FILTER_ACTIVE);
}

unsigned long tprof_filter_waits(const struct tprof_filter *filter)
{
	u64 since = ktime_get_mono_fast_ns() - READ_ONCE(filter->disabled_ns);

	return since < NSEC_PER_SEC ? nsecs_to_jiffies(NSEC_PER_SEC - since) + 1 : 0;
}

static void resume_replacement(struct work_struct *work)
{
	struct tprof_filter *filter = container_of(to_delayed_work(work), struct tprof_filter, resume);

	mutex_lock(&filter->session->mutex);
	/* Its owner may have enabled it meanwhile, and it may have exceeded that budget too. */
	if (!filter->detached && filter->replaced)
		tprof_filter_resume(filter);
	mutex_unlock(&filter->session->mutex);
}

void tprof_filter_resume_later(struct tprof_filter *filter)
{
	filter->replaced = true;
	mod_delayed_work(tprof_filter_workqueue, &filter->resume, tprof_filter_waits(filter));
}

void tprof_filter_budget_init(struct tprof_filter *filter)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		forget_window(per_cpu_ptr(filter->cpu, cpu));
	init_irq_work(&filter->warn, warn_over_budget);
	INIT_DELAYED_WORK(&filter->resume, resume_replacement);
}

void tprof_filter_keep_spent(struct tprof_filter *filter)
{
	struct tprof_spent *spent = filter->spent;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		const struct tprof_filter_cpu *c = per_cpu_ptr(filter->cpu, cpu);

		spent->cpu[cpu].spent = filter->session->budget - c->rest - c->left;
		spent->cpu[cpu].window_began = c->window_began;
	}
	spent->disabled = READ_ONCE(filter->state) == TPROF_FILTER_OVER_BUDGET;
	spent->disabled_ns = READ_ONCE(filter->disabled_ns);
	filter->spent = NULL;
	tprof_spent_keep(spent, filter->session->payer.user->uid);
}

void tprof_filter_take_spent(struct tprof_filter *filter)
{
	struct tprof_spent *spent = tprof_spent_take(filter->session->payer.user->uid);
	unsigned int cpu;

	if (!spent)
		return;
	for_each_possible_cpu(cpu) {
		struct tprof_filter_cpu *c = per_cpu_ptr(filter->cpu, cpu);

		c->rest = filter->session->budget - spent->cpu[cpu].spent;
		c->window_began = spent->cpu[cpu].window_began;
	}
	if (spent->disabled) {
		filter->disabled_ns = spent->disabled_ns;
		filter->state = TPROF_FILTER_OVER_BUDGET;
		filter->ops = NULL;
		tprof_filter_resume_later(filter);
	}
	kfree(spent);
}
