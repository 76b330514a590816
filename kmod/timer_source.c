// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "timer": one hrtimer per CPU, which runs while the CPU is not idle.
 *
 * When a CPU switches to its idle task the timer is stopped, so that it does not wake the CPU. It is stopped there, by
 * the tracepoint sched_switch, and not later: the cpuidle governor chooses how deep the CPU sleeps by the timers that
 * are armed. When the CPU switches to another task, the timer continues with the rest of its period, so its phase does
 * not depend on the wake-up. One sample of the idle task has the weight of the idle time.
 *
 * A softirq that interrupts the idle task is work, and can be most of the work of a machine, such as the network
 * packets that it forwards. So the timer runs between the tracepoints softirq_entry and softirq_exit, too. A hard
 * interrupt that interrupts the idle task counts as idle: interrupts are disabled, so the timer could not fire there.
 *
 * The timer has a single event, hence a single source, so its state is per-CPU and static.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <asm/irq_regs.h>
#include <trace/events/power.h>

#include "compat.h"
#include "sample.h"
#include "source.h"
#include "timer_source.h"
#include "tracepoint.h"

struct idle_timer {
	struct hrtimer timer;
	struct tprof_source *source;		/* c: NULL: not running */
	u64 period;				/* c */
	s64 extra_ns;				/* c: weight of the next sample in addition to one period */
	u64 idle_since_ns;			/* c: 0: not idle, or the CPU went idle before the start */
	u64 idle_owed_ns;			/* c: idle time that no sample has represented yet */
	unsigned long idle_ip;			/* c: where the idle task last entered an idle state */
	s64 left_ns;				/* c: rest of the period at the last idle entry; negative: overdue */
};

/* Argument of a function call on another CPU. */
struct request {
	struct tprof_source *source;
	u64 period;
	u64 phase_ns;
};

static DEFINE_PER_CPU(struct idle_timer, idle_timers);

static void on_switch(void *unused, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state);
static void on_cpu_idle(void *unused, unsigned int state, unsigned int cpu);
static void on_softirq_entry(void *unused, unsigned int number);
static void on_softirq_exit(void *unused, unsigned int number);

/* Before those of the staging buffers, which deliver the idle sample. */
#define PRIORITY	5

static struct tprof_tracepoint probe_list[] = {
	{ "sched_switch", on_switch, PRIORITY },
	{ "cpu_idle", on_cpu_idle, PRIORITY },
	{ "softirq_entry", on_softirq_entry, PRIORITY },
	{ "softirq_exit", on_softirq_exit, PRIORITY },
};

static struct tprof_tracepoints probes = TPROF_TRACEPOINTS(probe_list);

/* Advances the expiry to the next end of a period after @now. Returns the number of periods that have elapsed. */
static __always_inline u64 move_on(struct hrtimer *timer, u64 period, ktime_t now)
{
	ktime_t next = ktime_add_ns(hrtimer_get_expires(timer), period);

	u64 over = 1;

	/* Not hrtimer_forward(): with low-resolution timers it uses at least the tick as the interval. */
	if (unlikely(next <= now)) {
		over += div64_u64(now - next, period) + 1;
		next = ktime_add_ns(hrtimer_get_expires(timer), over * period);
	}
	hrtimer_set_expires(timer, next);
	return over;
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct idle_timer *t = container_of(timer, struct idle_timer, timer);
	ktime_t now = ktime_get();

	/* The timer was started while its CPU went offline, and was migrated. */
	if (unlikely(t != this_cpu_ptr(&idle_timers)))
		return HRTIMER_NORESTART;
	tprof_source_fire_irq(t->source, get_irq_regs(), move_on(timer, t->period, now) * t->period + t->extra_ns,
			      ktime_to_ns(now));
	t->extra_ns = 0;
	return HRTIMER_RESTART;
}

static void arm(struct idle_timer *t, u64 at_ns)
{
	hrtimer_start(&t->timer, ns_to_ktime(at_ns), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Rest of the current period at the time @now; negative: overdue. */
static s64 left_ns(const struct idle_timer *t, u64 now)
{
	return t->idle_since_ns ? t->left_ns : ktime_to_ns(hrtimer_get_expires(&t->timer)) - (s64)now;
}

/* Like all functions ending in _here: called by smp_call_function_single(), interrupts disabled. */
static void start_here(void *info)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);
	const struct request *request = info;

	t->source = request->source;
	t->period = request->period;
	t->idle_since_ns = 0;
	t->idle_owed_ns = 0;
	t->extra_ns = 0;
	arm(t, ktime_get_ns() + request->phase_ns);
}

/*
 * Calls @what on @cpu. The random phase keeps the timers of the CPUs from firing in step, with each other or otherwise.
 */
static int ask(unsigned int cpu, smp_call_func_t what, struct tprof_source *source, u64 period)
{
	struct request request = { .source = source, .period = period, .phase_ns = 1 + get_random_u64() % period };

	return smp_call_function_single(cpu, what, &request, 1) ? -ENODEV : 0;
}

static int timer_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	int err = tprof_tracepoints_get(&probes);

	if (err)
		return err;
	err = ask(cpu, start_here, source, period);
	if (err)
		tprof_tracepoints_put(&probes);
	return err;
}

/* Fires one sample for the idle time up to now, in whole periods; the rest stays in idle_owed_ns. */
static void settle_idle(struct idle_timer *t, u64 now)
{
	u64 owed = t->idle_owed_ns + now - t->idle_since_ns;

	t->idle_since_ns = 0;
	t->idle_owed_ns = owed % t->period;
	if (owed >= t->period)
		tprof_source_fire_idle(t->source, t->idle_ip, owed - t->idle_owed_ns);
}

static void stop_timer(struct idle_timer *t)
{
	if (!t->source)
		return;
	/* The callback is not running: it would have to run on this CPU. */
	hrtimer_try_to_cancel(&t->timer);
	if (t->idle_since_ns)
		settle_idle(t, ktime_get_ns());
	t->source = NULL;
}

static void stop_here(void *info)
{
	stop_timer(this_cpu_ptr(&idle_timers));
}

static void timer_stop(struct tprof_source *source, unsigned int cpu)
{
	struct idle_timer *t = per_cpu_ptr(&idle_timers, cpu);

	if (smp_call_function_single(cpu, stop_here, NULL, 1)) {
		/* The CPU is offline. timer_offline() stopped the timer, unless it was started after that. */
		hrtimer_cancel(&t->timer);
		t->source = NULL;
	}
	tprof_tracepoints_put(&probes);
}

static void timer_offline(struct tprof_source *source, unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	stop_timer(this_cpu_ptr(&idle_timers));
	local_irq_restore(flags);
}

/*
 * Moves the whole periods in @past, the elapsed part of the next sample's weight, to the idle time: the CPU may sleep
 * for long, and sessions should not wait for that sample. Returns the time that was moved.
 */
static s64 count_as_idle(struct idle_timer *t, s64 past)
{
	u64 part;

	if (past < (s64)t->period)
		return 0;
	part = past - (u64)past % t->period;
	t->idle_owed_ns += part;
	return part;
}

/*
 * The current period ends as scheduled, unless it would last longer than the new period. The sample at its end has the
 * weight of all the time since the previous sample, so no time is lost or counted twice.
 */
static void set_period_here(void *info)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);
	const struct request *request = info;
	u64 now = ktime_get_ns();
	s64 due, left;

	if (!t->source)
		return;
	due = t->period + t->extra_ns;
	left = left_ns(t, now);
	if (left > (s64)request->period) {
		due -= left - (s64)request->phase_ns;
		if (t->idle_since_ns)
			t->left_ns = request->phase_ns;
		else
			arm(t, now + request->phase_ns);
	}
	t->period = request->period;
	if (t->idle_since_ns)
		due -= count_as_idle(t, due - t->left_ns);
	t->extra_ns = due - (s64)t->period;
}

static int timer_set_period(struct tprof_source *source, unsigned int cpu, u64 period)
{
	return ask(cpu, set_period_here, source, period);
}

/* Moves the whole periods that have elapsed before the next sample to the idle time. */
static void settle_late(struct idle_timer *t)
{
	s64 past = t->period + t->extra_ns - t->left_ns;

	past -= count_as_idle(t, past);
	t->extra_ns = 0;
	t->left_ns = t->period - past;
}

static u64 timer_settle(struct tprof_source *source)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);
	u64 now = ktime_get_ns();

	if (!t->source)
		return 0;
	/* More than a period may have elapsed where the timer was overdue, or its period was changed. */
	if (t->idle_since_ns) {
		if (t->extra_ns >= t->left_ns)
			settle_late(t);
		settle_idle(t, now);
		t->idle_since_ns = now;
	} else if (left_ns(t, now) > 0 && t->extra_ns >= left_ns(t, now)) {
		t->extra_ns -= left_ns(t, now);
		arm(t, now);
	}
	return t->idle_owed_ns + t->period + t->extra_ns - left_ns(t, now);
}

static bool timer_due(struct tprof_source *source, u64 ns)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);

	return t->source && !t->idle_since_ns && left_ns(t, ns) < 0;
}

/* Reads the clock once for both times: the time between two reads would be lost, or counted twice. */
static void going_idle(struct idle_timer *t)
{
	u64 now = ktime_get_ns();
	s64 left = left_ns(t, now);

	if (hrtimer_try_to_cancel(&t->timer) != 1)
		return;
	t->left_ns = left;
	t->idle_since_ns = now;
}

static void leaving_idle(struct idle_timer *t)
{
	u64 now = ktime_get_ns();

	/*
	 * A timer that was overdue was due while the CPU had work, but its interrupt came too late: interrupts were
	 * disabled, or a hypervisor delivered it late. If it fired at once, it would always hit the end of the context
	 * switch. So it fires after the same time again, at most a period, in the work that follows.
	 */
	if (t->left_ns < 0) {
		s64 late = -t->left_ns;

		t->left_ns = min(late, (s64)t->period);
		t->extra_ns += late + t->left_ns;
	}
	arm(t, now + t->left_ns);
	settle_idle(t, now);
}

/* Probe of sched_switch. Interrupts disabled, the run queue locked; current is @prev. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);

	if (!t->source)
		return;
	if (!is_idle_task(next)) {
		if (t->idle_since_ns)
			leaving_idle(t);
	} else if (!t->idle_since_ns) {
		going_idle(t);
	}
}

/*
 * Probe of cpu_idle. Interrupts disabled; RCU is watching. Also stops the timer of a CPU that was idle when it was
 * started, or that a kernel thread makes idle (powerclamp).
 */
static void on_cpu_idle(void *unused, unsigned int state, unsigned int cpu)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);

	if (!t->source || state == PWR_EVENT_EXIT)
		return;
	t->idle_ip = _RET_IP_;
	if (!t->idle_since_ns)
		going_idle(t);
}

/*
 * The idle task begins a softirq, which is work, or has ended it. Interrupts enabled; on PREEMPT_RT the task may
 * migrate to another CPU before they are disabled.
 */
static void idle_works(bool works)
{
	struct idle_timer *t;
	unsigned long flags;

	local_irq_save(flags);
	t = this_cpu_ptr(&idle_timers);
	if (t->source && works == !!t->idle_since_ns)
		(works ? leaving_idle : going_idle)(t);
	local_irq_restore(flags);
}

static void on_softirq_entry(void *unused, unsigned int number)
{
	if (unlikely(is_idle_task(current)))
		idle_works(true);
}

static void on_softirq_exit(void *unused, unsigned int number)
{
	if (unlikely(is_idle_task(current)))
		idle_works(false);
}

const struct tprof_source_ops tprof_source_timer = {
	.version = TPROF_SOURCE_VERSION,
	.name = "timer",
	.owner = THIS_MODULE,
	.min_period = TPROF_MIN_TIMER_NS,
	.max_period = TPROF_MAX_TIMER_NS,
	.start = timer_start,
	.stop = timer_stop,
	.offline = timer_offline,
	.set_period = timer_set_period,
	.settle = timer_settle,
	.due = timer_due,
};

int tprof_source_timer_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu_ptr(&idle_timers, cpu)->timer, timer_fired, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
	return tprof_tracepoints_init(&probes);
}

void tprof_source_timer_exit(void)
{
	tprof_tracepoints_exit(&probes);
}
