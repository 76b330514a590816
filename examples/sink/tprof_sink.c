// SPDX-License-Identifier: GPL-2.0-only
/* Source "sink": bytes that programs write to /sys/module/tprof_sink/parameters/bytes. */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>

#include "tprof_source.h"

struct sink {
	struct tprof_source *source;		/* NULL: not started on this CPU */
	u64 period;
	u64 carry;				/* bytes that no sample represents yet */
};

static DEFINE_PER_CPU(struct sink, sinks);

/* With preemption disabled: an RCU read-side critical section, which sink_stop() waits for. */
static void sink_count(u64 bytes)
{
	struct sink *sink = this_cpu_ptr(&sinks);
	struct tprof_source *source = smp_load_acquire(&sink->source);
	u64 weight;

	if (!source)
		return;
	sink->carry += bytes;
	if (sink->carry < sink->period)
		return;
	/* One sample represents all bytes so far, in whole periods. */
	weight = sink->carry - sink->carry % sink->period;
	sink->carry -= weight;
	tprof_source_fire(source, task_pt_regs(current), weight, 0, bytes);
}

static int set_bytes(const char *value, const struct kernel_param *param)
{
	preempt_disable();
	sink_count(strlen(value));
	preempt_enable();
	return 0;
}

static const struct kernel_param_ops bytes_ops = {
	.set = set_bytes,
};

module_param_cb(bytes, &bytes_ops, NULL, 0200);
MODULE_PARM_DESC(bytes, "where the bytes go");

static int sink_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct sink *sink = per_cpu_ptr(&sinks, cpu);

	sink->period = period;
	sink->carry = 0;
	/* Pairs with smp_load_acquire() in sink_count(). */
	smp_store_release(&sink->source, source);
	return 0;
}

static void sink_stop(struct tprof_source *source, unsigned int cpu)
{
	WRITE_ONCE(per_cpu_ptr(&sinks, cpu)->source, NULL);
	/* Wait for calls of sink_count() that have read the source. */
	synchronize_rcu();
}

static const struct tprof_source_ops sink_ops = {
	.version = TPROF_SOURCE_VERSION,
	.name = "sink",
	.owner = THIS_MODULE,
	.min_period = 1,
	.start = sink_start,
	.stop = sink_stop,
};

static int __init sink_init(void)
{
	return tprof_source_register(&sink_ops);
}

static void __exit sink_exit(void)
{
	tprof_source_unregister(&sink_ops);
}

module_init(sink_init);
module_exit(sink_exit);

MODULE_DESCRIPTION("Source \"sink\" of tprof: bytes that programs write");
MODULE_LICENSE("GPL");
