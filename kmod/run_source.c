// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "on-cpu": a sample for each run of a thread, which weighs as many nanoseconds as the thread was on a CPU.
 *
 * One thread at a time runs on a CPU, so its run needs no table: the CPU remembers when it began. A run is captured
 * when its thread leaves, with the call stack of that place, and delivered by the interrupt that comes when the
 * scheduler has switched to the next thread. No run is lost but by a full staging buffer.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "payer.h"
#include "run_source.h"
#include "wait_follow.h"
#include "wait_sample.h"
#include "wait_source.h"

/* The runs of a source, while it is prepared. */
struct runs {
	struct list_head list;			/* all of them; R */
	struct tprof_source *source;		/* I */
};

/* Per-CPU memory of the source. */
struct run_cpu {
	struct tprof_wait_cpu cpu;		/* first member: its functions know nothing else */
	struct runs *runs;			/* I: on the first possible CPU: while it is prepared */
	u64 from_ns;				/* c: the run up to here is counted; 0: none, or of the idle task */
	u32 exec_id;				/* c: as it began, for a thread that has given up its memory since */
	bool has_mm;				/* c */
};

LIST_HEAD(tprof_runs);				/* written under runs_mutex */
static DEFINE_MUTEX(runs_mutex);

static struct run_cpu *run_cpu_of(const struct tprof_source *source)
{
	return tprof_source_cpu(source, raw_smp_processor_id());
}

static struct runs **runs_of(const struct tprof_source *source)
{
	return &((struct run_cpu *)tprof_source_cpu(source, cpumask_first(cpu_possible_mask)))->runs;
}

/* The run of @task on this CPU begins, or goes on: what was before is counted, or not of interest. */
static void begin(struct run_cpu *c, struct task_struct *task, u64 now)
{
	const struct mm_struct *mm = task->mm;

	c->has_mm = mm;
	c->exec_id = mm ? READ_ONCE(mm->start_code) >> 12 : 0;
	c->from_ns = is_idle_task(task) ? 0 : now;
}

/* Sets the weight of a run of the current thread up to now, or of a part of it, and tells whether it is a sample. */
static bool measure(struct run_cpu *c, struct tprof_ran *ran)
{
	if (ran->now <= c->from_ns)
		return false;
	ran->has_mm = c->has_mm;
	ran->exec_id = c->exec_id;
	ran->weight = tprof_wait_weight(&c->cpu, ran->now - c->from_ns);
	return ran->weight;
}

/* Out of line, as in wait_follow.c. */
static noinline void over_in_scope(struct tprof_source *source, struct run_cpu *c, u64 now)
{
	struct tprof_ran ran = { .now = now };

	if (measure(c, &ran))
		tprof_run_fire(source, &ran);
}

static void over(struct tprof_source *source, struct run_cpu *c, u64 now)
{
	if (tprof_wait_in_scope(source, current))
		over_in_scope(source, c, now);
	else
		tprof_sample_missed(source, TPROF_MISSED_OUT_OF_SCOPE, 0);
}

void tprof_runs_switch(struct task_struct *prev, struct task_struct *next, u64 now)
{
	struct runs *runs;

	list_for_each_entry_rcu(runs, &tprof_runs, list, irqs_disabled()) {
		struct run_cpu *c = run_cpu_of(runs->source);

		if (!c->cpu.running)
			continue;
		if (c->from_ns)
			over(runs->source, c, now);
		begin(c, next, now);
	}
}

static int run_parse(const void *attr, size_t size, void *event)
{
	const struct tprof_wait_event *wait = event;
	int err = tprof_source_wait.parse(attr, size, event);

	/* No run is left out. */
	return err ?: wait->min_ns ? -EINVAL : 0;
}

static int run_prepare(struct tprof_source *source)
{
	struct runs *runs = kzalloc(sizeof(*runs), TPROF_GFP);
	int err;

	if (!runs)
		return -ENOMEM;
	err = tprof_waits_probe();
	if (err) {
		kfree(runs);
		return err;
	}
	runs->source = source;
	*runs_of(source) = runs;
	mutex_lock(&runs_mutex);
	list_add_rcu(&runs->list, &tprof_runs);
	mutex_unlock(&runs_mutex);
	return 0;
}

static void run_unprepare(struct tprof_source *source)
{
	struct runs *runs = *runs_of(source);

	mutex_lock(&runs_mutex);
	list_del_rcu(&runs->list);
	mutex_unlock(&runs_mutex);
	synchronize_rcu();
	tprof_waits_unprobe();
	*runs_of(source) = NULL;
	kfree(runs);
}

/* Interrupts disabled. */
static void start_here(void *info)
{
	struct run_cpu *c = run_cpu_of(info);

	begin(c, current, ktime_get_mono_fast_ns());
	c->cpu.running = true;
}

/* The thread that runs there begins to do so now. */
static int run_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	if (smp_call_function_single(cpu, start_here, source, 1))
		return -ENODEV;
	return tprof_waits_set_period(source, cpu, period);
}

/* The part of the run in progress on this CPU up to now. Interrupts disabled. */
static void take_here(void *info)
{
	struct tprof_source *source = info;
	struct run_cpu *c = run_cpu_of(source);
	struct tprof_ran ran = { .now = ktime_get_mono_fast_ns() };

	if (!c->cpu.running || !c->from_ns)
		return;
	if (tprof_wait_in_scope(source, current) && measure(c, &ran))
		tprof_run_fire_part(source, &ran);
	begin(c, current, ran.now);
}

static void run_collect(struct tprof_source *source, const struct cpumask *cpus)
{
	on_each_cpu_mask(cpus, take_here, source, 1);
}

const struct tprof_source_ops tprof_source_run = {
	.version = TPROF_SOURCE_VERSION,
	.name = "on-cpu",
	.owner = THIS_MODULE,
	.event_size = sizeof(struct tprof_wait_event),
	.cpu_size = sizeof(struct run_cpu),
	.min_period = 1,
	.parse = run_parse,
	.prepare = run_prepare,
	.unprepare = run_unprepare,
	.start = run_start,
	.stop = tprof_waits_stop,
	.offline = tprof_waits_offline,
	.set_period = tprof_waits_set_period,
	.collect = run_collect,
	.settle = tprof_waits_settle,
};
