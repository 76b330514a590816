// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "burst", for tests only: fires samples on request, in the context that the attr of the event names, one of the
 * words in contexts[].
 *
 * Parameters, in /sys/module/tprof_burst/parameters/:
 *
 *	fire		write N: N samples on this CPU from each source that is started there; the write returns after
 *			they have fired
 *	references	read: references to the task that wrote `fire`, before the samples with interrupts disabled,
 *			while they are staged, and after that
 *	away		write N: the next N starts fail as if their CPU were offline
 *	refuse		write N: the next N starts fail with EIO
 *	unready		write N: the N-th source that is prepared from now on fails with EIO
 *	slow		write 1: preparations take until 0 is written
 *	preparing	read: sources that are being prepared
 *	prepared	read: sources that are prepared
 *	unwritten	read: memory that was allocated and not written: 64 objects of the slab allocator and 64
 *			pages, of each the byte in the middle
 *
 * The parameters source_name and source_version are for tests of sources that cannot be registered.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "tprof_source.h"

static char *source_name = "burst";
module_param(source_name, charp, 0);
MODULE_PARM_DESC(source_name, "what to register as (burst)");

static unsigned int source_version = TPROF_SOURCE_VERSION;
module_param(source_version, uint, 0);
MODULE_PARM_DESC(source_version, "version of the interface to claim");

static unsigned int away;
module_param(away, uint, 0200);
MODULE_PARM_DESC(away, "write a number: so many starts find that their CPU has gone");

static unsigned int refuse;
module_param(refuse, uint, 0200);
MODULE_PARM_DESC(refuse, "write a number: so many starts fail with EIO");

static unsigned int unready;
module_param(unready, uint, 0200);
MODULE_PARM_DESC(unready, "write N: the N-th source that is prepared from now on fails");

static bool slow;
module_param(slow, bool, 0200);
MODULE_PARM_DESC(slow, "write 1: preparations take until 0 is written");

static unsigned int preparing;			/* under burst_mutex */
module_param(preparing, uint, 0400);
MODULE_PARM_DESC(preparing, "sources that are being prepared");

static unsigned int prepared;			/* under burst_mutex */
module_param(prepared, uint, 0400);
MODULE_PARM_DESC(prepared, "sources that are prepared");

enum context { PROCESS, IRQS_OFF, SOFTIRQ, HARDIRQ, GUEST, NR_CONTEXTS };

static const char *const contexts[NR_CONTEXTS] = {
	[PROCESS] = "process",
	[IRQS_OFF] = "irqs-off",
	[SOFTIRQ] = "softirq",
	[HARDIRQ] = "hardirq",
	[GUEST] = "guest",
};

struct burst_event {
	u32 context;
};

struct started {
	struct tprof_source *source;		/* NULL: not started */
	u64 period;
};

/* Equal events share a source, so there is at most one for each context. */
static DEFINE_PER_CPU(struct started[NR_CONTEXTS], all_started);
static DEFINE_MUTEX(burst_mutex);		/* protects all of them, and serializes bursts */

/* Samples to fire on this CPU. */
struct burst {
	const struct started *from;
	unsigned int nr;
	struct tasklet_struct tasklet;
	struct irq_work work;
	struct completion done;
};

static noinline void fire(const struct burst *burst)
{
	struct pt_regs regs;
	unsigned int i;

	for (i = 0; i < burst->nr; i++) {
		perf_fetch_caller_regs(&regs);
		tprof_source_fire(burst->from->source, &regs, burst->from->period, 0, i);
	}
}

static void fire_in_softirq(struct tasklet_struct *tasklet)
{
	struct burst *burst = container_of(tasklet, struct burst, tasklet);

	fire(burst);
	complete(&burst->done);
}

static void fire_in_hardirq(struct irq_work *work)
{
	struct burst *burst = container_of(work, struct burst, work);

	fire(burst);
	complete(&burst->done);
}

static unsigned int references[3];		/* under burst_mutex */

static void fire_with_irqs_off(struct burst *burst)
{
	unsigned long flags;

	local_irq_save(flags);
	references[0] = refcount_read(&current->usage);
	fire(burst);
	references[1] = refcount_read(&current->usage);
	local_irq_restore(flags);
}

static int get_references(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%u %u %u\n", references[0], references[1], references[2]);
}

static const struct kernel_param_ops references_ops = {
	.get = get_references,
};

module_param_cb(references, &references_ops, NULL, 0400);
MODULE_PARM_DESC(references, "references to the task, before, while and after its samples are staged");

/* As between the entry of a guest and its exit. Interrupts disabled, so that none accounts the time of a guest. */
static void fire_as_guest(struct burst *burst)
{
	unsigned long flags;

	local_irq_save(flags);
	current->flags |= PF_VCPU;
	fire(burst);
	current->flags &= ~PF_VCPU;
	local_irq_restore(flags);
}

/* Preemption disabled. Returns whether an interrupt will fire the samples. */
static bool begin(struct burst *burst, enum context context)
{
	switch (context) {
	case SOFTIRQ:
		tasklet_schedule(&burst->tasklet);
		return true;
	case HARDIRQ:
		irq_work_queue(&burst->work);
		return true;
	case IRQS_OFF:
		fire_with_irqs_off(burst);
		return false;
	case GUEST:
		fire_as_guest(burst);
		return false;
	default:
		fire(burst);
		return false;
	}
}

static void fire_in(enum context context, unsigned int nr)
{
	struct burst burst = { .nr = nr };
	bool waits = false;

	tasklet_setup(&burst.tasklet, fire_in_softirq);
	burst.work = IRQ_WORK_INIT_HARD(fire_in_hardirq);
	init_completion(&burst.done);
	preempt_disable();
	burst.from = this_cpu_ptr(&all_started[context]);
	if (burst.from->source)
		waits = begin(&burst, context);
	preempt_enable();
	if (waits)
		wait_for_completion(&burst.done);
	/* The burst is on this stack, so the interrupt that completed it must have returned. */
	tasklet_kill(&burst.tasklet);
	irq_work_sync(&burst.work);
	if (context == IRQS_OFF)
		references[2] = refcount_read(&current->usage);
}

static int set_fire(const char *value, const struct kernel_param *param)
{
	enum context context;
	unsigned int nr;
	int err = kstrtouint(value, 0, &nr);

	if (err)
		return err;
	mutex_lock(&burst_mutex);
	for (context = 0; context < NR_CONTEXTS; context++)
		fire_in(context, nr);
	mutex_unlock(&burst_mutex);
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = set_fire,
};

module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "write a number: so many samples on this CPU");

#define NR_UNWRITTEN	64
#define OBJECT_BYTES	512

static int get_unwritten(char *buffer, const struct kernel_param *param)
{
	static void *memory[2 * NR_UNWRITTEN];	/* parameters are read one at a time */
	unsigned int i, length = 0;

	for (i = 0; i < 2 * NR_UNWRITTEN; i++) {
		bool slab = i < NR_UNWRITTEN;

		memory[i] = slab ? kmalloc(OBJECT_BYTES, GFP_KERNEL) : (void *)__get_free_page(GFP_KERNEL);
		if (memory[i])
			length += sysfs_emit_at(buffer, length, "%02x ",
						((u8 *)memory[i])[slab ? OBJECT_BYTES / 2 : PAGE_SIZE / 2]);
	}
	for (i = 0; i < 2 * NR_UNWRITTEN; i++) {
		if (i < NR_UNWRITTEN)
			kfree(memory[i]);
		else
			free_page((unsigned long)memory[i]);
	}
	return length;
}

static const struct kernel_param_ops unwritten_ops = {
	.get = get_unwritten,
};

module_param_cb(unwritten, &unwritten_ops, NULL, 0400);
MODULE_PARM_DESC(unwritten, "bytes of memory that was allocated and not written");

static int burst_parse(const void *attr, size_t size, void *event)
{
	struct burst_event *parsed = event;
	enum context context;

	for (context = 0; context < NR_CONTEXTS; context++) {
		if (size == strlen(contexts[context]) && memcmp(attr, contexts[context], size) == 0) {
			parsed->context = context;
			return 0;
		}
	}
	return -EINVAL;
}

static struct started *started_of(const struct tprof_source *source, unsigned int cpu)
{
	const struct burst_event *event = tprof_source_event(source);

	return per_cpu_ptr(&all_started[event->context], cpu);
}

static int burst_prepare(struct tprof_source *source)
{
	int err = 0;

	mutex_lock(&burst_mutex);
	preparing++;
	mutex_unlock(&burst_mutex);
	while (READ_ONCE(slow))
		msleep(10);
	mutex_lock(&burst_mutex);
	preparing--;
	if (unready && !--unready)
		err = -EIO;
	prepared += !err;
	mutex_unlock(&burst_mutex);
	return err;
}

static void burst_unprepare(struct tprof_source *source)
{
	mutex_lock(&burst_mutex);
	prepared--;
	mutex_unlock(&burst_mutex);
}

static int burst_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	int err = 0;

	mutex_lock(&burst_mutex);
	if (away) {
		away--;
		err = -ENODEV;
	} else if (refuse) {
		refuse--;
		err = -EIO;
	} else {
		*started_of(source, cpu) = (struct started){ .source = source, .period = period };
	}
	mutex_unlock(&burst_mutex);
	return err;
}

static void burst_stop(struct tprof_source *source, unsigned int cpu)
{
	mutex_lock(&burst_mutex);
	*started_of(source, cpu) = (struct started){};
	mutex_unlock(&burst_mutex);
}

static void burst_describe(const void *event, struct seq_file *m)
{
	seq_puts(m, contexts[((const struct burst_event *)event)->context]);
}

static struct tprof_source_ops ops = {
	.owner = THIS_MODULE,
	.event_size = sizeof(struct burst_event),
	.parse = burst_parse,
	.prepare = burst_prepare,
	.unprepare = burst_unprepare,
	.start = burst_start,
	.stop = burst_stop,
	.describe = burst_describe,
};

static int __init burst_init(void)
{
	ops.version = source_version;
	if (strscpy(ops.name, source_name) < 0)
		return -EINVAL;
	return tprof_source_register(&ops);
}

static void __exit burst_exit(void)
{
	tprof_source_unregister(&ops);
}

module_init(burst_init);
module_exit(burst_exit);

MODULE_DESCRIPTION("Source \"burst\" of tprof, for tests: fires when it is told to");
MODULE_LICENSE("GPL");
