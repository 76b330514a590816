// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "timer": a timer of its own on each CPU, that runs while the CPU does something.
 *
 * When the CPU goes idle the timer is stopped, so that an idle machine keeps sleeping; when it wakes, the timer goes
 * on with what was left of its period, so the phase is not tied to the wake-up. The time spent idle is made up for by
 * one sample of the idle task that weighs as much.
 *
 * A CPU that waits by HLT serves the interrupt that wakes it before the kernel says that it woke. So it has also woken
 * when a soft interrupt begins: the packets that it handles then can be most of what the machine does.
 *
 * All samples of the timer come from one source, since there is one event; so its state is one per CPU.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <asm/irq_regs.h>
#include <trace/events/power.h>

#include "compat.h"
#include "source.h"

struct idle_timer {
	struct hrtimer timer;
	struct tprof_source *source;		/* c: NULL: not running */
	u64 period;				/* c */
	s64 extra_ns;				/* c: what the next firing stands for beyond one period */
	u64 idle_since_ns;			/* c: 0: not idle, or not seen going idle */
	u64 idle_owed_ns;			/* c: spent idle and not yet given out */
	unsigned long idle_ip;			/* c: where it went idle */
	s64 left_ns;				/* c: of the period, when it went idle; less than 0: late */
};

/* What is asked of a CPU. */
struct request {
	struct tprof_source *source;
	u64 period;
	u64 phase_ns;
};

static DEFINE_PER_CPU(struct idle_timer, idle_timers);
static bool watching_idle;			/* S: from the first start on */
static struct tracepoint *softirq_entry;	/* I: not exported; NULL: there is none */

static void on_cpu_idle(void *unused, unsigned int state, unsigned int cpu);
static void on_softirq(void *unused, unsigned int number);

/* To the first end of a period that is still to come. Returns how many are over; more than one if it was held up. */
static __always_inline u64 move_on(struct hrtimer *timer, u64 period, ktime_t now)
{
	ktime_t next = ktime_add_ns(hrtimer_get_expires(timer), period);

	u64 over = 1;

	/* Not hrtimer_forward(): where timers are as coarse as ticks it takes these for periods. */
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

	/* It was started while its CPU was going, and moved on to another. */
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

/* Of the period at that time. */
static s64 left_ns(const struct idle_timer *t, u64 now)
{
	return t->idle_since_ns ? t->left_ns : ktime_to_ns(hrtimer_get_expires(&t->timer)) - (s64)now;
}

/* Interrupts are off, here and in all that is asked of a CPU. */
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

/* The CPUs are not to fire together, nor in step with anything else. */
static int ask(unsigned int cpu, smp_call_func_t what, struct tprof_source *source, u64 period)
{
	struct request request = { .source = source, .period = period, .phase_ns = 1 + get_random_u64() % period };

	return smp_call_function_single(cpu, what, &request, 1) ? -ENODEV : 0;
}

/* Once for all sessions: each time costs the kernel a change of its text, with an interrupt to all CPUs. */
static int watch_idle(void)
{
	int err;

	if (watching_idle)
		return 0;
	err = register_trace_cpu_idle(on_cpu_idle, NULL);
	if (err)
		return err;
	if (softirq_entry)
		err = tracepoint_probe_register(softirq_entry, on_softirq, NULL);
	if (err)
		unregister_trace_cpu_idle(on_cpu_idle, NULL);
	watching_idle = !err;
	return err;
}

static int timer_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	int err = watch_idle();

	return err ?: ask(cpu, start_here, source, period);
}

/* Gives out the idle time up to now, as far as it makes whole periods. */
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
	/* It is not running now: its interrupt would have to be on this CPU. */
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

	if (!smp_call_function_single(cpu, stop_here, NULL, 1))
		return;
	/* The CPU is gone, and the timer with it, but if it was started at the last moment. */
	hrtimer_cancel(&t->timer);
	t->source = NULL;
}

static void timer_offline(struct tprof_source *source, unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	stop_timer(this_cpu_ptr(&idle_timers));
	local_irq_restore(flags);
}

/*
 * Of the time that the next sample stands for already, what makes whole periods: the CPU may sleep for long, and those
 * who come meanwhile are not to wait for it.
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
 * The present period ends when it would have, unless that takes longer than the next one. The sample at its end
 * stands for all the time since the last one, so none is lost or counted twice.
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

/* One that was late when its CPU went idle is not waited for. */
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
	if (t->idle_since_ns) {
		if (t->left_ns < 0)
			settle_late(t);
		settle_idle(t, now);
		t->idle_since_ns = now;
	}
	return t->idle_owed_ns + t->period + t->extra_ns - left_ns(t, now);
}

static bool timer_due(struct tprof_source *source, u64 ns)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);

	return t->source && !t->idle_since_ns && left_ns(t, ns) < 0;
}

/* One look at the clock for both: what lies between two would be lost, or counted twice. */
static void going_idle(struct idle_timer *t, unsigned long ip)
{
	u64 now = ktime_get_ns();
	s64 left = left_ns(t, now);

	if (hrtimer_try_to_cancel(&t->timer) != 1)
		return;
	t->left_ns = left;
	t->idle_since_ns = now;
	t->idle_ip = ip;
}

static void leaving_idle(struct idle_timer *t)
{
	u64 now = ktime_get_ns();

	/* If it was late already it still is, by as much: more likely than not, it is for whom it was for. */
	arm(t, now + t->left_ns);
	settle_idle(t, now);
}

/* Interrupts are off, RCU is watching. */
static void on_cpu_idle(void *unused, unsigned int state, unsigned int cpu)
{
	struct idle_timer *t = this_cpu_ptr(&idle_timers);

	if (!t->source)
		return;
	if (state != PWR_EVENT_EXIT)
		going_idle(t, _RET_IP_);
	else if (t->idle_since_ns)
		leaving_idle(t);
}

/* Interrupts are on, and with real time the task may be moved to another CPU, whose timer then runs. */
static void on_softirq(void *unused, unsigned int number)
{
	struct idle_timer *t;
	unsigned long flags;

	if (likely(!this_cpu_read(idle_timers.idle_since_ns)))
		return;
	local_irq_save(flags);
	t = this_cpu_ptr(&idle_timers);
	/* An interrupt may have stopped the timer, or another have come here first. */
	if (t->source && t->idle_since_ns)
		leaving_idle(t);
	local_irq_restore(flags);
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

static void find_softirq_entry(struct tracepoint *tracepoint, void *unused)
{
	if (strcmp(tracepoint->name, "softirq_entry") == 0)
		softirq_entry = tracepoint;
}

void tprof_source_timer_init(void)
{
	unsigned int cpu;

	for_each_kernel_tracepoint(find_softirq_entry, NULL);
	for_each_possible_cpu(cpu)
		hrtimer_setup(&per_cpu_ptr(&idle_timers, cpu)->timer, timer_fired, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

void tprof_source_timer_exit(void)
{
	if (!watching_idle)
		return;
	unregister_trace_cpu_idle(on_cpu_idle, NULL);
	if (softirq_entry)
		tracepoint_probe_unregister(softirq_entry, on_softirq, NULL);
	/* A CPU may still be in one of them. */
	tracepoint_synchronize_unregister();
}
