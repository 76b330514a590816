// SPDX-License-Identifier: GPL-2.0-only
/* Follows the threads that wait. */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "deliver.h"
#include "payer.h"
#include "run_source.h"
#include "tracepoint.h"
#include "wait_follow.h"

/* The table has space for twice the threads that exist when the source is prepared, and for these. */
#define SPARE_THREADS	1024
#define MAX_THREADS	(1U << 20)

static LIST_HEAD(all_waits);			/* written under waits_mutex, R */
static DEFINE_MUTEX(waits_mutex);

struct tprof_waits *tprof_waits_of(const struct tprof_source *source)
{
	return ((struct tprof_wait_cpu *)tprof_source_cpu(source, cpumask_first(cpu_possible_mask)))->waits;
}

bool tprof_waits_are_of(const struct tprof_source_ops *ops)
{
	return ops->stop == tprof_waits_stop;
}

static struct tprof_wait_cpu *this_cpu_of(const struct tprof_source *source)
{
	return tprof_source_cpu(source, raw_smp_processor_id());
}

bool tprof_waits_run_here(const struct tprof_waits *waits)
{
	return this_cpu_of(waits->source)->running;
}

bool tprof_waits_measure(struct tprof_waits *waits, struct tprof_waited *waited)
{
	const struct tprof_wait_event *event = tprof_source_event(waits->source);
	struct tprof_wait_cpu *c = this_cpu_of(waits->source);

	/* Another CPU has read the clock for the beginning. */
	waited->now = max(waited->now, waited->waiting->from_ns + 1);
	waited->weight = waited->now - waited->waiting->from_ns;
	if (waited->weight < event->min_ns) {
		tprof_sample_missed(waits->source, TPROF_MISSED_BELOW_MIN, waited->weight);
		return false;
	}
	waited->weight = tprof_wait_weight(c, waited->weight);
	return waited->weight;
}

/* The time of a probe, which is read once, and only where a session asks for it. *now: 0, or the time. */
static u64 time_of(u64 *now)
{
	if (!*now)
		*now = ktime_get_mono_fast_ns();
	return *now;
}

/* Out of line, as the other functions for threads that a session samples: variables cost, even unused. */
static noinline void wait_over(struct tprof_waits *waits, struct task_struct *task, u64 *now)
{
	static const struct tprof_waiting runs;
	struct tprof_waiting waiting;
	struct tprof_waited waited = { .task = task, .waiting = &waiting };

	if (!tprof_wait_table_end(waits->table, task, &waiting)) {
		if (READ_ONCE(waits->seeding))
			tprof_wait_table_insert(waits->table, task, &runs);
		return;
	}
	if (!waits->ops->over || !tprof_waits_run_here(waits))
		return;
	waited.now = time_of(now);
	waits->ops->over(waits, &waited);
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

static void miss(struct tprof_waits *waits, enum tprof_missed_reason reason, bool runnable)
{
	if (tprof_waits_run_here(waits))
		waits->ops->missed(waits, reason, !runnable);
}

static noinline void begin_in_scope(struct tprof_waits *waits, struct task_struct *task, u32 state, bool runnable,
				    u64 *now)
{
	const struct tprof_waiting waiting = {
		.from_ns = time_of(now), .from_cpu = raw_smp_processor_id(), .state = state, .runnable = runnable,
	};

	if (!tprof_wait_table_begin(waits->table, task, &waiting))
		miss(waits, TPROF_MISSED_THREADS, runnable);
}

/* The task begins to wait, if a session samples it. */
static void begin(struct tprof_waits *waits, struct task_struct *task, u32 state, bool runnable, u64 *now)
{
	if (tprof_wait_in_scope(waits->source, task))
		begin_in_scope(waits, task, state, runnable, now);
	else
		miss(waits, TPROF_MISSED_OUT_OF_SCOPE, runnable);
}

static void wait_begins(struct tprof_waits *waits, struct task_struct *task, bool preempted, unsigned int task_state,
			u64 *now)
{
	if (unlikely(task_state & TASK_DEAD))
		tprof_wait_table_forget(waits->table, task);
	else
		begin(waits, task, state_of(task_state, preempted), preempted || !task_state, now);
}

/* Probe of sched_switch. Interrupts disabled, the run queue locked; current is @prev. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	/* A task that was about to sleep, but has a signal, has given up the state that the kernel tells. */
	unsigned int state = READ_ONCE(prev->__state) ? prev_state : TASK_RUNNING;
	struct tprof_waits *waits;
	u64 now = 0;

	/* Interrupts disabled: an RCU read-side critical section. */
	list_for_each_entry_rcu(waits, &all_waits, list, irqs_disabled()) {
		if (!is_idle_task(next) &&
		    (tprof_wait_table_may_have(waits->table, next) || READ_ONCE(waits->seeding)))
			wait_over(waits, next, &now);
		if (!is_idle_task(prev))
			wait_begins(waits, prev, preempt, state, &now);
	}
	if (!list_empty(&tprof_runs))
		tprof_runs_switch(prev, next, time_of(&now));
}

static noinline void wake(struct tprof_waits *waits, struct task_struct *task)
{
	struct tprof_waiting waiting;
	struct tprof_waited waited = { .task = task, .waiting = &waiting };

	if (!tprof_wait_table_wake(waits->table, task, tprof_wait_describe_waker, &waiting) ||
	    !tprof_waits_run_here(waits))
		return;
	waited.now = waiting.woken_ns;
	waits->ops->woken(waits, &waited);
}

/* Probe of sched_waking. Preemption disabled; usually with a lock of the task held, and interrupts disabled. */
static void on_waking(void *unused, struct task_struct *task)
{
	struct tprof_waits *waits;
	unsigned long flags;

	local_irq_save(flags);
	list_for_each_entry_rcu(waits, &all_waits, list, irqs_disabled()) {
		if (!tprof_wait_table_may_have(waits->table, task))
			continue;
		if (waits->ops->woken)
			wake(waits, task);
		else
			tprof_wait_table_wake(waits->table, task, tprof_wait_describe_waker, NULL);
	}
	local_irq_restore(flags);
}

/* Probe of sched_wakeup_new: a thread may run for the first time. Interrupts disabled, its run queue locked. */
static void on_new(void *unused, struct task_struct *task)
{
	struct tprof_waits *waits;
	u64 now = 0;

	list_for_each_entry_rcu(waits, &all_waits, list, irqs_disabled())
		begin(waits, task, TPROF_STATE_NEW, true, &now);
}

/* Before those of the staging buffers, which deliver the wait of a thread to which an idle CPU switches. */
#define PRIORITY	5

static struct tprof_tracepoint probe_list[] = {
	{ "sched_switch", on_switch, PRIORITY },
	{ "sched_waking", on_waking, PRIORITY },
	{ "sched_wakeup_new", on_new, PRIORITY },
};

static struct tprof_tracepoints probes = TPROF_TRACEPOINTS(probe_list);

int tprof_waits_probe(void)
{
	return tprof_tracepoints_get(&probes);
}

void tprof_waits_unprobe(void)
{
	tprof_tracepoints_put(&probes);
}

static void nothing(void *unused)
{
}

/* The task is inserted as waiting from now on, if it is not on a CPU. It may run at any time. */
static void seed(struct tprof_waits *waits, struct task_struct *task)
{
	unsigned int state = READ_ONCE(task->__state);
	const struct tprof_waiting waiting = {
		.from_ns = ktime_get_mono_fast_ns(), .from_cpu = task_cpu(task), .state = state_of(state, false),
		.runnable = !state,
	};

	if (!READ_ONCE(task->on_cpu) && !(state & (TASK_DEAD | TASK_NEW)))
		tprof_wait_table_insert(waits->table, task, &waiting);
}

static void seed_all(struct tprof_waits *waits)
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

static void waits_free(struct tprof_waits *waits)
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

static struct tprof_waits *waits_new(struct tprof_source *source, const struct tprof_waits_ops *ops)
{
	struct tprof_waits *waits = kzalloc(sizeof(*waits), TPROF_GFP);

	if (!waits)
		return NULL;
	waits->source = source;
	waits->ops = ops;
	waits->table = tprof_wait_table_new(min(count_threads(), MAX_THREADS / 2) * 2 + SPARE_THREADS);
	waits->waiter = kzalloc(sizeof(*waits->waiter), TPROF_GFP);
	if (waits->table && waits->waiter)
		return waits;
	waits_free(waits);
	return NULL;
}

static void set_waits(struct tprof_source *source, struct tprof_waits *waits)
{
	((struct tprof_wait_cpu *)tprof_source_cpu(source, cpumask_first(cpu_possible_mask)))->waits = waits;
}

int tprof_waits_prepare(struct tprof_source *source, const struct tprof_waits_ops *ops)
{
	struct tprof_waits *waits = waits_new(source, ops);
	int err;

	if (!waits)
		return -ENOMEM;
	err = tprof_waits_probe();
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

void tprof_waits_unprepare(struct tprof_source *source)
{
	struct tprof_waits *waits = tprof_waits_of(source);

	mutex_lock(&waits_mutex);
	list_del_rcu(&waits->list);
	mutex_unlock(&waits_mutex);
	synchronize_rcu();
	tprof_waits_unprobe();
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
	struct tprof_wait_cpu *c = this_cpu_of(change->source);

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

int tprof_waits_set_period(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct change change = { .source = source, .running = true, .threshold = threshold_of(source, period) };

	return smp_call_function_single(cpu, change_here, &change, 1) ? -ENODEV : 0;
}

void tprof_waits_stop(struct tprof_source *source, unsigned int cpu)
{
	struct change change = { .source = source };

	if (smp_call_function_single(cpu, change_here, &change, 1))
		((struct tprof_wait_cpu *)tprof_source_cpu(source, cpu))->running = false;
}

void tprof_waits_offline(struct tprof_source *source, unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	this_cpu_of(source)->running = false;
	local_irq_restore(flags);
}

/* Called with interrupts disabled: the ledger is looked at. */
u64 tprof_waits_settle(struct tprof_source *source)
{
	tprof_deliver_unwanted();
	return 0;
}

int tprof_waits_init(void)
{
	return tprof_tracepoints_init(&probes);
}

void tprof_waits_exit(void)
{
	tprof_tracepoints_exit(&probes);
}
