// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "off-cpu": a sample for each wait of a thread, which weighs as many nanoseconds as the thread was off the CPU.
 *
 * The interrupt that delivers a wait comes when the scheduler has switched to the thread and enables interrupts.
 */
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include "source.h"
#include "wait_follow.h"
#include "wait_source.h"

static void over(struct tprof_waits *waits, struct tprof_waited *waited)
{
	if (tprof_waits_measure(waits, waited))
		tprof_wait_fire(waits->source, waited);
}

static void missed(struct tprof_waits *waits, enum tprof_missed_reason reason, bool blocked)
{
	tprof_sample_missed(waits->source, reason, 0);
}

static const struct tprof_waits_ops waits_ops = {
	.over = over,
	.missed = missed,
};

static int wait_prepare(struct tprof_source *source)
{
	return tprof_waits_prepare(source, &waits_ops);
}

static int wait_parse(const void *attr, size_t size, void *event)
{
	const struct tprof_wait_attr *from = attr;
	struct tprof_wait_event *to = event;

	if (size > sizeof(*from))
		return -E2BIG;
	if (!size)
		return 0;
	if (size < sizeof(*from) || from->sched_start > from->sched_end)
		return -EINVAL;
	to->sched_start = from->sched_start;
	to->sched_end = from->sched_end;
	to->min_ns = from->min_ns;
	return 0;
}

/* The part of a wait in progress up to now. */
struct part {
	struct tprof_waits *waits;
	struct task_struct *task;
	u64 from_ns;
};

static void take_part(const struct part *part)
{
	struct tprof_waits *waits = part->waits;
	struct tprof_waiting waiting;
	struct tprof_waited waited = { .task = part->task, .waiting = &waiting, .now = ktime_get_mono_fast_ns() };

	if (waited.now <= part->from_ns || !tprof_waits_run_here(waits))
		return;
	if (tprof_wait_table_take(waits->table, part->task, part->from_ns, waited.now, &waiting) &&
	    tprof_waits_measure(waits, &waited))
		tprof_wait_fire_part(waits->source, &waited, waits->waiter);
}

static void take_here(void *info)
{
	take_part(info);
}

static bool is_wanted(const struct tprof_source *source, struct task_struct *task)
{
	unsigned long flags;
	bool wanted;

	local_irq_save(flags);
	wanted = tprof_wait_in_scope(source, task);
	local_irq_restore(flags);
	return wanted;
}

/*
 * With call stacks. One thread at a time, so interrupts are disabled for one delivery. Threads that waited when the
 * source was prepared are in the table even if no session samples them: they are not read, which takes far longer.
 */
static void take_with_stacks(struct tprof_waits *waits, const struct cpumask *cpus)
{
	struct part part = { .waits = waits };
	unsigned int index = 0;

	while ((part.task = tprof_wait_table_next(waits->table, &index, waits->table->nr, &part.from_ns))) {
		unsigned int cpu = task_cpu(part.task);

		if (is_wanted(waits->source, part.task)) {
			tprof_wait_read(waits->source, part.task, waits->waiter);
			if (!cpumask_test_cpu(cpu, cpus))
				cpu = cpumask_any_and(cpus, cpu_online_mask);
			if (cpu < nr_cpu_ids && smp_call_function_single(cpu, take_here, &part, 1))
				smp_call_function_any(cpus, take_here, &part, 1);
		}
		put_task_struct(part.task);
		cond_resched();
	}
}

/* How many entries are looked at, and how many parts are taken, with interrupts disabled. */
#define GLANCE_ENTRIES	1024
#define GLANCE_PARTS	32

struct glance {
	struct tprof_waits *waits;
	unsigned int index;
};

static void glance_here(void *info)
{
	struct glance *glance = info;
	struct tprof_waits *waits = glance->waits;
	struct part part = { .waits = waits };
	unsigned int end = min(glance->index + GLANCE_ENTRIES, waits->table->nr), nr = 0;

	while (nr < GLANCE_PARTS &&
	       (part.task = tprof_wait_table_next(waits->table, &glance->index, end, &part.from_ns))) {
		if (tprof_wait_in_scope(waits->source, part.task)) {
			tprof_wait_glance(waits->source, part.task, waits->waiter);
			take_part(&part);
			nr++;
		}
		put_task_struct(part.task);
	}
}

/*
 * Without call stacks: many threads at a time. Where other processes want the CPU, too, milliseconds may pass between
 * one call and the next, by which the times of threads would differ.
 */
static void take_without_stacks(struct tprof_waits *waits, const struct cpumask *cpus)
{
	struct glance glance = { .waits = waits };

	while (glance.index < waits->table->nr && !smp_call_function_any(cpus, glance_here, &glance, 1))
		cond_resched();
}

/* With the sources mutex held. */
static void wait_collect(struct tprof_source *source, const struct cpumask *cpus)
{
	struct tprof_waits *waits = tprof_waits_of(source);

	if (tprof_wants_stacks(atomic64_read(&source->wants)))
		take_with_stacks(waits, cpus);
	else
		take_without_stacks(waits, cpus);
}

static void wait_describe(const void *event, struct seq_file *m)
{
	const struct tprof_wait_event *wait = event;

	seq_printf(m, "min_ns=%llu", wait->min_ns);
}

const struct tprof_source_ops tprof_source_wait = {
	.version = TPROF_SOURCE_VERSION,
	.name = "off-cpu",
	.owner = THIS_MODULE,
	.event_size = sizeof(struct tprof_wait_event),
	.cpu_size = sizeof(struct tprof_wait_cpu),
	.min_period = 1,
	.parse = wait_parse,
	.prepare = wait_prepare,
	.unprepare = tprof_waits_unprepare,
	.start = tprof_waits_set_period,
	.stop = tprof_waits_stop,
	.offline = tprof_waits_offline,
	.set_period = tprof_waits_set_period,
	.collect = wait_collect,
	.settle = tprof_waits_settle,
	.describe = wait_describe,
};
