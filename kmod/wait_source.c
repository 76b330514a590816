// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "off-cpu": a sample for each wait of a thread, which weighs as many nanoseconds as the thread was off the CPU.
 *
 * A probe of sched_switch notes when, and in which state, a thread leaves its CPU, and takes that when the thread runs
 * again. A probe of sched_waking notes who ends the time in which it is blocked. Both run with locks of the scheduler
 * held, where no filter can run, so waits go through the staging buffer: the interrupt that delivers them comes when
 * the scheduler has switched to the thread and enables interrupts.
 *
 * Threads that wait when the source is prepared are inserted then. A thread that is neither on a CPU nor in the table
 * waits; if it runs in between, the probe inserts it first.
 */
#include <linux/capability.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include "deliver.h"
#include "payer.h"
#include "source.h"
#include "tracepoint.h"
#include "wait_sample.h"
#include "wait_source.h"
#include "wait_table.h"

/* The table has space for twice the threads that exist when the source is prepared, and for these. */
#define SPARE_THREADS	1024
#define MAX_THREADS	(1U << 20)

/* The event of the source, while it is prepared. */
struct waits {
	struct list_head list;			/* all_waits; R */
	struct tprof_source *source;		/* I */
	struct tprof_wait_table *table;		/* I */
	struct tprof_waiter *waiter;		/* S: of a wait in progress */
	bool seeding;				/* threads that run are inserted, too */
};

/* Per-CPU memory of the source. */
struct wait_cpu {
	struct waits *waits;			/* I: on the first possible CPU: while it is prepared */
	bool running;				/* c */
	u64 threshold;				/* c: shorter waits are added up; 0: each wait is a sample */
	u64 rest;				/* c: time that no sample has represented yet */
};

static LIST_HEAD(all_waits);			/* written under waits_mutex, R */
static DEFINE_MUTEX(waits_mutex);

static struct waits *waits_of(const struct tprof_source *source)
{
	return ((struct wait_cpu *)tprof_source_cpu(source, cpumask_first(cpu_possible_mask)))->waits;
}

static struct wait_cpu *this_cpu_of(const struct tprof_source *source)
{
	return tprof_source_cpu(source, raw_smp_processor_id());
}

/*
 * Completes a wait, or a part of it, and tells whether it is a sample. Shorter ones than the minimum are only counted.
 */
static bool measure(struct tprof_source *source, struct tprof_waited *waited)
{
	const struct tprof_wait_attr *attr = tprof_source_event(source);
	struct wait_cpu *c = this_cpu_of(source);

	/* Another CPU has read the clock for the beginning. */
	waited->now = max(waited->now, waited->waiting->from_ns + 1);
	waited->weight = waited->now - waited->waiting->from_ns;
	if (waited->weight < attr->min_ns) {
		tprof_sample_missed(source, TPROF_MISSED_BELOW_MIN, waited->weight);
		return false;
	}
	c->rest += waited->weight;
	if (c->rest < c->threshold)
		return false;
	waited->weight = c->rest;
	c->rest = 0;
	return true;
}

static void wait_over(struct waits *waits, struct task_struct *task, u64 now)
{
	static const struct tprof_waiting runs;
	struct tprof_waiting waiting;
	struct tprof_waited waited = { .task = task, .waiting = &waiting, .now = now };

	if (!tprof_wait_table_end(waits->table, task, &waiting)) {
		if (READ_ONCE(waits->seeding))
			tprof_wait_table_insert(waits->table, task, &runs);
		return;
	}
	if (this_cpu_of(waits->source)->running && measure(waits->source, &waited))
		tprof_wait_fire(waits->source, &waited);
}

/* The state of a wait, from that of the task when it left its CPU. I/O is seen when the wait is over. */
static u32 state_of(unsigned int task_state, bool preempted)
{
	if (preempted || !task_state)
		return TPROF_STATE_PREEMPTED;
	if (task_state & (TASK_NOLOAD | TASK_PARKED))
		return TPROF_STATE_IDLE;
	if (task_state & __TASK_STOPPED)
		return TPROF_STATE_STOPPED;
	if (task_state & __TASK_TRACED)
		return TPROF_STATE_TRACED;
	return task_state & TASK_INTERRUPTIBLE ? TPROF_STATE_SLEEPING : TPROF_STATE_BLOCKED;
}

static void wait_begins(struct waits *waits, struct task_struct *task, bool preempted, unsigned int task_state, u64 now)
{
	const struct tprof_waiting waiting = {
		.from_ns = now, .from_cpu = raw_smp_processor_id(),
		.state = state_of(task_state, preempted), .runnable = preempted || !task_state,
	};
	bool counts = this_cpu_of(waits->source)->running;

	if (task_state & TASK_DEAD) {
		tprof_wait_table_forget(waits->table, task);
		return;
	}
	if (!tprof_wait_in_scope(waits->source, task)) {
		if (counts)
			tprof_sample_missed(waits->source, TPROF_MISSED_OUT_OF_SCOPE, 0);
		return;
	}
	if (!tprof_wait_table_begin(waits->table, task, &waiting) && counts)
		tprof_sample_missed(waits->source, TPROF_MISSED_THREADS, 0);
}

/* Probe of sched_switch. Interrupts disabled, the run queue locked; current is @prev. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	/* A task that was about to sleep, but has a signal, has given up the state that the kernel tells. */
	unsigned int state = READ_ONCE(prev->__state) ? prev_state : TASK_RUNNING;
	struct waits *waits;
	u64 now;

	if (list_empty(&all_waits))
		return;
	now = ktime_get_mono_fast_ns();
	rcu_read_lock();
	list_for_each_entry_rcu(waits, &all_waits, list) {
		if (!is_idle_task(next))
			wait_over(waits, next, now);
		if (!is_idle_task(prev))
			wait_begins(waits, prev, preempt, state, now);
	}
	rcu_read_unlock();
}

/* Probe of sched_waking. Preemption disabled; usually with a lock of the task held, and interrupts disabled. */
static void on_waking(void *unused, struct task_struct *task)
{
	struct waits *waits;

	rcu_read_lock();
	list_for_each_entry_rcu(waits, &all_waits, list)
		tprof_wait_table_wake(waits->table, task, ktime_get_mono_fast_ns(), tprof_wait_describe_waker);
	rcu_read_unlock();
}

/* Probe of sched_wakeup_new: a thread may run for the first time. Interrupts disabled, its run queue locked. */
static void on_new(void *unused, struct task_struct *task)
{
	const struct tprof_waiting waiting = {
		.from_ns = ktime_get_mono_fast_ns(), .from_cpu = raw_smp_processor_id(), .state = TPROF_STATE_NEW,
		.runnable = true,
	};
	struct waits *waits;

	rcu_read_lock();
	list_for_each_entry_rcu(waits, &all_waits, list) {
		bool counts = this_cpu_of(waits->source)->running;

		if (!tprof_wait_in_scope(waits->source, task)) {
			if (counts)
				tprof_sample_missed(waits->source, TPROF_MISSED_OUT_OF_SCOPE, 0);
		} else if (!tprof_wait_table_begin(waits->table, task, &waiting) && counts) {
			tprof_sample_missed(waits->source, TPROF_MISSED_THREADS, 0);
		}
	}
	rcu_read_unlock();
}

/* Before those of the staging buffers, which deliver the wait of a thread to which an idle CPU switches. */
#define PRIORITY	5

static struct tprof_tracepoint probe_list[] = {
	{ "sched_switch", on_switch, PRIORITY },
	{ "sched_waking", on_waking, PRIORITY },
	{ "sched_wakeup_new", on_new, PRIORITY },
};

static struct tprof_tracepoints probes = TPROF_TRACEPOINTS(probe_list);

static int wait_parse(const void *attr, size_t size, void *event)
{
	struct tprof_wait_attr *to = event;

	if (size > sizeof(*to))
		return -E2BIG;
	if (size && size < sizeof(*to))
		return -EINVAL;
	memcpy(to, attr, size);
	if (to->sched_start > to->sched_end)
		return -EINVAL;
	return 0;
}

static void nothing(void *unused)
{
}

/* The task is inserted as waiting from now on, if it is not on a CPU. It may run at any time. */
static void seed(struct waits *waits, struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);
	const struct tprof_waiting waiting = {
		.from_ns = ktime_get_mono_fast_ns(), .from_cpu = task_cpu(task), .state = state_of(state, false),
		.runnable = !state,
	};

	if (!READ_ONCE(task->on_cpu) && !(state & (TASK_DEAD | TASK_NEW)))
		tprof_wait_table_insert(waits->table, task, &waiting);
}

static void seed_all(struct waits *waits)
{
	struct task_struct *process, *task;

	WRITE_ONCE(waits->seeding, true);
	/* From here on, the probes on all CPUs see it. */
	on_each_cpu(nothing, NULL, 1);
	rcu_read_lock();
	for_each_process_thread(process, task)
		seed(waits, task);
	rcu_read_unlock();
	WRITE_ONCE(waits->seeding, false);
}

static void waits_free(struct waits *waits)
{
	tprof_wait_table_free(waits->table);
	kfree(waits->waiter);
	kfree(waits);
}

static unsigned int count_threads(void)
{
	struct task_struct *process, *task;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_process_thread(process, task)
		nr++;
	rcu_read_unlock();
	return nr;
}

static struct waits *waits_new(struct tprof_source *source)
{
	struct waits *waits = kzalloc(sizeof(*waits), TPROF_GFP);

	if (!waits)
		return NULL;
	waits->source = source;
	waits->table = tprof_wait_table_new(min(count_threads(), MAX_THREADS / 2) * 2 + SPARE_THREADS);
	waits->waiter = kzalloc(sizeof(*waits->waiter), TPROF_GFP);
	if (waits->table && waits->waiter)
		return waits;
	waits_free(waits);
	return NULL;
}

static void set_waits(struct tprof_source *source, struct waits *waits)
{
	((struct wait_cpu *)tprof_source_cpu(source, cpumask_first(cpu_possible_mask)))->waits = waits;
}

static int wait_prepare(struct tprof_source *source)
{
	struct waits *waits = waits_new(source);
	int err;

	if (!waits)
		return -ENOMEM;
	err = tprof_tracepoints_get(&probes);
	if (err) {
		waits_free(waits);
		return err;
	}
	mutex_lock(&waits_mutex);
	list_add_rcu(&waits->list, &all_waits);
	mutex_unlock(&waits_mutex);
	set_waits(source, waits);
	seed_all(waits);
	return 0;
}

static void wait_unprepare(struct tprof_source *source)
{
	struct waits *waits = waits_of(source);

	mutex_lock(&waits_mutex);
	list_del_rcu(&waits->list);
	mutex_unlock(&waits_mutex);
	synchronize_rcu();
	tprof_tracepoints_put(&probes);
	set_waits(source, NULL);
	waits_free(waits);
}

/* Arguments of a function call on another CPU, with interrupts disabled. */
struct change {
	struct tprof_source *source;
	bool running;
	u64 threshold;
};

static void change_here(void *info)
{
	const struct change *change = info;
	struct wait_cpu *c = this_cpu_of(change->source);

	c->running = change->running;
	c->threshold = change->threshold;
}

/*
 * Sessions with longer periods than a nanosecond skip waits. Only where samples take too much of the time of the CPU is
 * the period longer than that of all sessions: then waits are added up. A wait lasts for microseconds, so the factor
 * counts twice.
 */
static u64 threshold_of(const struct tprof_source *source, u64 period)
{
	u64 factor = div64_u64(period, max(source->period, 1ULL));

	return factor > 1 ? min(period, TPROF_MAX_TIMER_NS / factor) * factor : 0;
}

static int wait_set_period(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct change change = { .source = source, .running = true, .threshold = threshold_of(source, period) };

	return smp_call_function_single(cpu, change_here, &change, 1) ? -ENODEV : 0;
}

static int wait_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	return wait_set_period(source, cpu, period);
}

static void wait_stop(struct tprof_source *source, unsigned int cpu)
{
	struct change change = { .source = source };

	if (smp_call_function_single(cpu, change_here, &change, 1))
		((struct wait_cpu *)tprof_source_cpu(source, cpu))->running = false;
}

static void wait_offline(struct tprof_source *source, unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_of(source)->running = false;
	local_irq_restore(flags);
}

/* The part of a wait in progress up to now. */
struct part {
	struct waits *waits;
	struct task_struct *task;
	u64 from_ns;
};

static void take_here(void *info)
{
	const struct part *part = info;
	struct waits *waits = part->waits;
	struct tprof_waiting waiting;
	struct tprof_waited waited = { .task = part->task, .waiting = &waiting, .now = ktime_get_mono_fast_ns() };

	if (waited.now <= part->from_ns || !this_cpu_of(waits->source)->running)
		return;
	if (tprof_wait_table_take(waits->table, part->task, part->from_ns, waited.now, &waiting) &&
	    measure(waits->source, &waited))
		tprof_wait_fire_part(waits->source, &waited, waits->waiter);
}

/* One thread at a time, so interrupts are disabled for one delivery. With the sources mutex held. */
static void wait_collect(struct tprof_source *source, const struct cpumask *cpus)
{
	struct waits *waits = waits_of(source);
	struct part part = { .waits = waits };
	unsigned int index = 0;

	while ((part.task = tprof_wait_table_next(waits->table, &index, &part.from_ns))) {
		unsigned int cpu = task_cpu(part.task);

		tprof_wait_read(source, part.task, waits->waiter);
		if (!cpumask_test_cpu(cpu, cpus))
			cpu = cpumask_any_and(cpus, cpu_online_mask);
		if (cpu < nr_cpu_ids && smp_call_function_single(cpu, take_here, &part, 1))
			smp_call_function_any(cpus, take_here, &part, 1);
		put_task_struct(part.task);
		cond_resched();
	}
}

/* Called with interrupts disabled: the ledger is looked at. */
static u64 wait_settle(struct tprof_source *source)
{
	tprof_deliver_unwanted();
	return 0;
}

static void wait_describe(const void *event, struct seq_file *m)
{
	const struct tprof_wait_attr *attr = event;

	seq_printf(m, "min_ns=%llu", attr->min_ns);
}

const struct tprof_source_ops tprof_source_wait = {
	.version = TPROF_SOURCE_VERSION,
	.name = "off-cpu",
	.owner = THIS_MODULE,
	.event_size = sizeof(struct tprof_wait_attr),
	.cpu_size = sizeof(struct wait_cpu),
	.min_period = 1,
	.parse = wait_parse,
	.prepare = wait_prepare,
	.unprepare = wait_unprepare,
	.start = wait_start,
	.stop = wait_stop,
	.offline = wait_offline,
	.set_period = wait_set_period,
	.collect = wait_collect,
	.settle = wait_settle,
	.describe = wait_describe,
};

int tprof_source_wait_init(void)
{
	return tprof_tracepoints_init(&probes);
}

void tprof_source_wait_exit(void)
{
	tprof_tracepoints_exit(&probes);
}
