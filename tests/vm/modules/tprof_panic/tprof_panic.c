// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "panic", for tests only: fires once before a panic and once after the panic notifier of the module, and prints
 * to the console whether the module took these samples. They have no pt_regs, so a sample that is taken counts as
 * missed: that counter can be read even when nothing else runs.
 *
 *	/sys/module/tprof_panic/parameters/panic	write 1: the kernel panics
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/panic_notifier.h>

#include "source.h"

static struct tprof_source *started;

/* Interrupts disabled. */
static bool takes_a_sample(void)
{
	struct tprof_missed *missed = &this_cpu_ptr(started->cpu)->missed[TPROF_MISSED_REGS];
	long before = local_read(&missed->samples);

	tprof_source_fire(started, NULL, 1, 0, 0);
	return local_read(&missed->samples) != before;
}

static int on_panic(struct notifier_block *block, unsigned long action, void *data)
{
	pr_emerg("tprof_panic: after: a sample is %s\n", takes_a_sample() ? "taken" : "not taken");
	return NOTIFY_DONE;
}

/* Runs after the notifier of the module. */
static struct notifier_block block = {
	.notifier_call = on_panic,
	.priority = -1,
};

static int set_panic(const char *value, const struct kernel_param *param)
{
	unsigned long flags;

	if (!started)
		return -ENODEV;
	local_irq_save(flags);
	pr_emerg("tprof_panic: before: a sample is %s\n", takes_a_sample() ? "taken" : "not taken");
	local_irq_restore(flags);
	panic("tprof_panic: as was asked for");
}

static const struct kernel_param_ops panic_ops = {
	.set = set_panic,
};

module_param_cb(panic, &panic_ops, NULL, 0200);
MODULE_PARM_DESC(panic, "write 1: the kernel panics");

static int panic_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	started = source;
	return 0;
}

static void panic_stop(struct tprof_source *source, unsigned int cpu)
{
	started = NULL;
}

static const struct tprof_source_ops ops = {
	.version = TPROF_SOURCE_VERSION,
	.name = "panic",
	.owner = THIS_MODULE,
	.start = panic_start,
	.stop = panic_stop,
};

static int __init panic_init(void)
{
	int err = tprof_source_register(&ops);

	if (!err)
		atomic_notifier_chain_register(&panic_notifier_list, &block);
	return err;
}

static void __exit panic_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &block);
	tprof_source_unregister(&ops);
}

module_init(panic_init);
module_exit(panic_exit);

MODULE_DESCRIPTION("Source \"panic\" of tprof, for tests: fires before and after a panic");
MODULE_LICENSE("GPL");
