// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of learned steps, and the queues of addresses that are to be learned.
 *
 * A walk reads the table and fills the queue of its CPU, in any context, also in NMI: no locks, no allocation, no
 * printk(). A work item empties the queues and writes the table. An entry is one word, so a walk sees the old or the
 * new one, and either is right: the step of an address that is on a stack does not change, see below.
 *
 * Events that could change how a return address is unwound:
 *
 * - The kernel's unwind data (ORC) belong to addresses, and neither those of the kernel nor those of a module change
 *   after its text is in place. Patched text has the same stack layout at each instruction: this is what objtool
 *   requires of alternatives, static calls and static branches. It also holds for a call of a tracer at the start of a
 *   function, and for the jump of an optimized kprobe. So patching changes nothing.
 * - When a module is unloaded, its addresses can get other code. The whole table is cleared when a module is unloaded,
 *   and also when one is loaded. Livepatches are modules; the old functions keep their addresses and their data.
 * - The function graph tracer and kretprobes replace return addresses on a stack by that of a trampoline, from which
 *   only the unwinder finds the true one. Such an address is refused (steps_ask.c), and the walk leaves it to the
 *   unwinder. This is independent of when tracing begins or ends.
 */
#include <linux/atomic.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "steps.h"

/* Addresses wait that long, so that the work item learns many at a time and never runs more often. */
#define LEARN_MS	10
/* At most so many addresses in each run of the work item: less than a millisecond. */
#define LEARN_MOST	256
/* Places of a queue. An address that finds its place taken is queued by a later walk. */
#define QUEUE_BITS	6
#define QUEUE_SIZE	(1U << QUEUE_BITS)

struct queue {
	unsigned long ip[QUEUE_SIZE];		/* A: 0: free; taken by the walk, freed by the work item */
};

static void kick(struct irq_work *work);
static void learn(struct work_struct *work);

u64 tprof_steps[TPROF_STEPS_SIZE] ____cacheline_aligned;

static DEFINE_PER_CPU(struct queue, queues);
static DEFINE_IRQ_WORK(kick_work, kick);
static DECLARE_DELAYED_WORK(learn_work, learn);
static atomic_t learning;			/* the work item is queued, or will be by the irq_work */
static DEFINE_MUTEX(table_mutex);		/* protects writes to the table */

/* On a CPU that goes offline, an irq_work would never run (stage.c). */
void tprof_steps_kick(void)
{
	if (!atomic_read(&learning) && cpu_online(raw_smp_processor_id()) && !atomic_xchg(&learning, 1))
		irq_work_queue(&kick_work);
}

void tprof_steps_miss(unsigned long ip)
{
	unsigned long *place = &this_cpu_ptr(&queues)->ip[steps_hash(ip) >> (TPROF_STEPS_BITS - QUEUE_BITS)];

	if (!READ_ONCE(*place))
		cmpxchg(place, 0, ip);
	/* In the idle loop, an irq_work would wake the CPU. The address stays in the queue until a later walk. */
	if (!is_idle_task(current) || in_interrupt())
		tprof_steps_kick();
}

static void kick(struct irq_work *work)
{
	queue_delayed_work(system_unbound_wq, &learn_work, msecs_to_jiffies(LEARN_MS));
}

/* Puts a step into a free place of the address, or into one of another address. */
static void put(unsigned long ip, u32 step)
{
	static unsigned int victim;		/* under table_mutex */
	u32 hash = steps_hash(ip);
	unsigned int i;

	lockdep_assert_held(&table_mutex);
	for (i = 0; i < TPROF_STEPS_WAYS && tprof_steps[hash ^ i]; i++)
		;
	if (i == TPROF_STEPS_WAYS)
		i = victim++ % TPROF_STEPS_WAYS;
	WRITE_ONCE(tprof_steps[hash ^ i], (u64)ip << 32 | step);
}

/* Returns how many addresses of a queue were learned, at most @most. */
static unsigned int learn_queue(struct queue *queue, unsigned int most)
{
	unsigned int i, nr = 0;

	for (i = 0; i < QUEUE_SIZE && nr < most; i++) {
		unsigned long ip = READ_ONCE(queue->ip[i]) ? xchg(&queue->ip[i], 0) : 0;

		if (!ip || tprof_steps_find(ip) != TPROF_STEP_UNKNOWN)
			continue;
		put(ip, tprof_steps_ask(ip));
		nr++;
	}
	return nr;
}

static void learn(struct work_struct *work)
{
	static unsigned int last;		/* the CPU whose queue was looked at last */
	unsigned int i, nr = 0;

	mutex_lock(&table_mutex);
	for (i = 0; i < num_possible_cpus() && nr < LEARN_MOST; i++) {
		last = cpumask_next(last, cpu_possible_mask);
		if (last >= nr_cpu_ids)
			last = cpumask_first(cpu_possible_mask);
		nr += learn_queue(per_cpu_ptr(&queues, last), LEARN_MOST - nr);
	}
	mutex_unlock(&table_mutex);
	if (nr == LEARN_MOST)
		queue_delayed_work(system_unbound_wq, &learn_work, msecs_to_jiffies(LEARN_MS));
	else
		atomic_set(&learning, 0);
	/* Pairs with that in disagree(): the difference is seen here, or the work item is queued again. */
	smp_mb();
	tprof_steps_report();
}

/*
 * The notifier waits for the work item, which accepts addresses of a module only while its state is live. When a module
 * goes, its state has changed before this call, so none of its addresses is learned afterwards. When a module has come,
 * its addresses have been refused so far.
 */
static int on_module(struct notifier_block *block, unsigned long state, void *module)
{
	unsigned int i;

	if (state != MODULE_STATE_LIVE && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&table_mutex);
	for (i = 0; i < TPROF_STEPS_SIZE; i++)
		WRITE_ONCE(tprof_steps[i], 0);
	mutex_unlock(&table_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = on_module,
};

int tprof_steps_init(void)
{
	tprof_steps_ask_init();
	return register_module_notifier(&module_block);
}

/* No walk is running or will begin. */
void tprof_steps_exit(void)
{
	unregister_module_notifier(&module_block);
	irq_work_sync(&kick_work);
	cancel_delayed_work_sync(&learn_work);
}
