// SPDX-License-Identifier: GPL-2.0-only
/*
 * Helpers in the kernel for the measurement of instructions per sample, controlled by two parameters:
 *
 *	timer_ns	a bare timer with that period on each CPU, which does nothing, to measure the floor. 0: none
 *	descend		"DEPTH ROUNDS": recurses to that depth and runs an empty loop there
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "compat.h"

#define MAX_DEPTH	64		/* a few kilobytes of stack */

static DEFINE_PER_CPU(struct hrtimer, timers);
static unsigned long timer_ns;
static bool running;

static enum hrtimer_restart fired(struct hrtimer *timer)
{
	hrtimer_forward(timer, hrtimer_cb_get_time(timer), ns_to_ktime(timer_ns));
	return HRTIMER_RESTART;
}

static void start_here(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&timers);

	hrtimer_setup(timer, fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	hrtimer_start(timer, ktime_add_ns(ktime_get(), timer_ns), HRTIMER_MODE_ABS_PINNED_HARD);
}

static void stop(void)
{
	unsigned int cpu;

	if (!running)
		return;
	for_each_online_cpu(cpu)
		hrtimer_cancel(per_cpu_ptr(&timers, cpu));
	running = false;
}

/* The kernel holds the parameter lock of this module, so writes are serialized. */
static int set_timer(const char *text, const struct kernel_param *param)
{
	int err;

	cpus_read_lock();
	stop();
	err = param_set_ulong(text, param);
	if (!err && timer_ns) {
		on_each_cpu(start_here, NULL, 1);
		running = true;
	}
	cpus_read_unlock();
	return err;
}

static const struct kernel_param_ops timer_param = {
	.set = set_timer,
	.get = param_get_ulong,
};
module_param_cb(timer_ns, &timer_param, &timer_ns, 0600);
MODULE_PARM_DESC(timer_ns, "period of a timer that does nothing, nanoseconds; 0: none");

static noinline void descend(unsigned int depth, unsigned long rounds)
{
	if (depth > 1) {
		descend(depth - 1, rounds);
	} else {
		while (rounds--)
			barrier();
	}
	/* Prevents a tail call: each call must have a frame. */
	barrier();
}

static int set_descend(const char *text, const struct kernel_param *param)
{
	unsigned long rounds;
	unsigned int depth;

	if (sscanf(text, "%u %lu", &depth, &rounds) != 2 || depth < 1 || depth > MAX_DEPTH)
		return -EINVAL;
	descend(depth, rounds);
	return 0;
}

static const struct kernel_param_ops descend_param = {
	.set = set_descend,
};
module_param_cb(descend, &descend_param, NULL, 0200);
MODULE_PARM_DESC(descend, "DEPTH ROUNDS: calls itself and goes round a loop there");

static void __exit bench_exit(void)
{
	cpus_read_lock();
	stop();
	cpus_read_unlock();
}
module_exit(bench_exit);

static int __init bench_init(void)
{
	return 0;
}
module_init(bench_init);

MODULE_DESCRIPTION("what the benchmark of tprof needs in the kernel");
MODULE_LICENSE("GPL");
