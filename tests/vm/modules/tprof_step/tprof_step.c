// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "step", for tests only: calls a function through a pointer and fires at each instruction of this call with the
 * registers at that point. It uses the single-step trap of the processor, whose context is like an NMI.
 *
 *	/sys/module/tprof_step/parameters/calls		write N: N calls on this CPU, if the source is started there
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/math.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>

#include "tprof_source.h"

struct started {
	struct tprof_source *source;		/* NULL: not started */
	u64 period;
};

static DEFINE_PER_CPU(struct started, all_started);
static DEFINE_MUTEX(step_mutex);		/* protects all of them, and serializes stepping */
static struct task_struct *stepper;

static int on_trap(struct notifier_block *block, unsigned long reason, void *data)
{
	const struct die_args *args = data;
	const struct started *started = this_cpu_ptr(&all_started);
	unsigned long *dr6;

	if (reason != DIE_DEBUG || READ_ONCE(stepper) != current)
		return NOTIFY_DONE;
	dr6 = ERR_PTR(args->err);
	if (!(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	tprof_source_fire(started->source, args->regs, started->period, 0, 0);
	*dr6 &= ~DR_STEP;
	return NOTIFY_STOP;
}

static struct notifier_block trap_block = {
	.notifier_call = on_trap,
};

/* A function of the kernel, with padding bytes before it. */
static unsigned long (*step_target)(unsigned long) = int_sqrt;

/* Interrupts disabled. */
static noinline void step_caller(void)
{
	unsigned long (*function)(unsigned long) = READ_ONCE(step_target);

	asm volatile("pushfq; orq %0, (%%rsp); popfq" : : "i" (X86_EFLAGS_TF) : "cc", "memory");
	function(1);
	asm volatile("pushfq; andq %0, (%%rsp); popfq" : : "i" (~X86_EFLAGS_TF) : "cc", "memory");
}

static void step(void)
{
	unsigned long flags;

	local_irq_save(flags);
	if (this_cpu_read(all_started.source)) {
		WRITE_ONCE(stepper, current);
		step_caller();
		WRITE_ONCE(stepper, NULL);
	}
	local_irq_restore(flags);
}

static int set_calls(const char *value, const struct kernel_param *param)
{
	unsigned int nr;
	int err = kstrtouint(value, 0, &nr);

	if (err)
		return err;
	mutex_lock(&step_mutex);
	while (nr--)
		step();
	mutex_unlock(&step_mutex);
	return 0;
}

static const struct kernel_param_ops calls_ops = {
	.set = set_calls,
};

module_param_cb(calls, &calls_ops, NULL, 0200);
MODULE_PARM_DESC(calls, "write a number: so many calls on this CPU");

static void set_started(unsigned int cpu, struct started started)
{
	mutex_lock(&step_mutex);
	*per_cpu_ptr(&all_started, cpu) = started;
	mutex_unlock(&step_mutex);
}

static int step_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	set_started(cpu, (struct started){ .source = source, .period = period });
	return 0;
}

static void step_stop(struct tprof_source *source, unsigned int cpu)
{
	set_started(cpu, (struct started){});
}

static struct tprof_source_ops ops = {
	.version = TPROF_SOURCE_VERSION,
	.name = "step",
	.owner = THIS_MODULE,
	.start = step_start,
	.stop = step_stop,
};

static int __init step_init(void)
{
	int err = register_die_notifier(&trap_block);

	if (err)
		return err;
	err = tprof_source_register(&ops);
	if (err)
		unregister_die_notifier(&trap_block);
	return err;
}

static void __exit step_exit(void)
{
	tprof_source_unregister(&ops);
	unregister_die_notifier(&trap_block);
}

module_init(step_init);
module_exit(step_exit);

MODULE_DESCRIPTION("Source \"step\" of tprof, for tests: fires at each instruction of a call through a pointer");
MODULE_LICENSE("GPL");
