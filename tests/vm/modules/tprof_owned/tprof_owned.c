// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work for somebody, for tests only. To write a number of milliseconds to a parameter below
 * /sys/module/tprof_owned/parameters/ makes the kernel work for so long, each in a function of its own:
 *
 *	work		in a work item that the writer queues: owned_work()
 *	chain		in a work item, owned_chain(), that queues the next one, four in all
 *	again		in a work item, owned_again(), that queues itself, four times in all
 *	bh		in a work item of a soft interrupt, owned_bh(), that queues itself
 *	timer		in a work item that a timer queues: owned_timer()
 *	late		in a work item that the writer queues with a delay: owned_late()
 *	taken		in a work item that the writer queues and cancels, and that a timer queues then: owned_taken()
 *	wait		in a work item that the writer queues, and that sleeps for so long: owned_wait()
 *	section		the writer, in a section, owned_section(), and in one inside of it, owned_inner(), and then
 *			again in the first: owned_outer()
 *	softirq		a timer in a section: owned_softirq(), and after it, owned_after(), while the writer is in a
 *			section, owned_beside()
 *
 * A write to the first eight returns before the work begins; to read `busy` waits for the end
 * of all work.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "tprof_source.h"

#define SUBSYSTEM	7
#define CHAIN		4

/* So long at most, with interrupts enabled, in a handler. */
#define HANDLER_NS	(2 * NSEC_PER_MSEC)

struct item {
	struct work_struct work;
	struct delayed_work late;
	struct timer_list timer;
	u64 ns;
	unsigned int left;			/* of the chain */
};

static struct workqueue_struct *queue;
static atomic_t nr_items;

/* Inlined, so that each user has the samples. */
static __always_inline void spin(u64 ns)
{
	u64 end = ktime_get_ns() + ns;
	unsigned int i;

	while (ktime_get_ns() < end) {
		for (i = 0; i < 20000; i++)
			barrier();
		if (!in_interrupt())
			cond_resched();
	}
}

static void item_free(struct item *item)
{
	kfree(item);
	atomic_dec(&nr_items);
}

static struct item *item_new(work_func_t function, u64 ns)
{
	struct item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return NULL;
	atomic_inc(&nr_items);
	INIT_WORK(&item->work, function);
	item->ns = ns;
	item->left = CHAIN;
	return item;
}

static noinline void owned_work(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	spin(item->ns);
	item_free(item);
}

static noinline void owned_wait(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	msleep(div_u64(item->ns, NSEC_PER_MSEC));
	item_free(item);
}

static noinline void owned_chain(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work), *next;

	spin(item->ns / CHAIN);
	next = item->left > 1 ? item_new(owned_chain, item->ns) : NULL;
	if (next) {
		next->left = item->left - 1;
		queue_work(queue, &next->work);
	}
	item_free(item);
}

static noinline void owned_again(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	spin(item->ns / CHAIN);
	if (--item->left)
		queue_work(queue, work);
	else
		item_free(item);
}

static noinline void owned_bh(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	spin(HANDLER_NS);
	if (--item->left)
		queue_work(system_bh_wq, work);
	else
		item_free(item);
}

static noinline void owned_timer(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	spin(item->ns);
	item_free(item);
}

static noinline void owned_taken(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	spin(item->ns);
	item_free(item);
}

static noinline void owned_before(struct work_struct *work)
{
	struct item *item = container_of(work, struct item, work);

	spin(item->ns);
	item_free(item);
}

static noinline void owned_late(struct work_struct *work)
{
	struct item *item = container_of(to_delayed_work(work), struct item, late);

	spin(item->ns);
	item_free(item);
}

static void queue_item(struct timer_list *timer)
{
	struct item *item = container_of(timer, struct item, timer);

	queue_work(queue, &item->work);
}

static int start_timer(struct item *item)
{
	timer_setup(&item->timer, queue_item, 0);
	mod_timer(&item->timer, jiffies + 2);
	return 0;
}

static int set_work(u64 ns)
{
	struct item *item = item_new(owned_work, ns);

	return item && queue_work(queue, &item->work) ? 0 : -ENOMEM;
}

static int set_wait(u64 ns)
{
	struct item *item = item_new(owned_wait, ns);

	return item && queue_work(queue, &item->work) ? 0 : -ENOMEM;
}

static int set_chain(u64 ns)
{
	struct item *item = item_new(owned_chain, ns);

	return item && queue_work(queue, &item->work) ? 0 : -ENOMEM;
}

static int set_again(u64 ns)
{
	struct item *item = item_new(owned_again, ns);

	return item && queue_work(queue, &item->work) ? 0 : -ENOMEM;
}

static int set_bh(u64 ns)
{
	struct item *item = item_new(owned_bh, ns);

	if (!item)
		return -ENOMEM;
	item->left = 1 + div_u64(ns, HANDLER_NS);
	queue_work(system_bh_wq, &item->work);
	return 0;
}

static int set_timer(u64 ns)
{
	struct item *item = item_new(owned_timer, ns);

	return item ? start_timer(item) : -ENOMEM;
}

static int set_late(u64 ns)
{
	struct item *item = item_new(NULL, ns);

	if (!item)
		return -ENOMEM;
	INIT_DELAYED_WORK(&item->late, owned_late);
	queue_delayed_work(queue, &item->late, 2);
	return 0;
}

/* The queue executes one item at a time, and this one is not its turn yet when it is cancelled. */
static int set_taken(u64 ns)
{
	struct item *item = item_new(owned_taken, ns), *before = item_new(owned_before, 10 * NSEC_PER_MSEC);

	if (!item || !before)
		return -ENOMEM;
	queue_work(queue, &before->work);
	queue_work(queue, &item->work);
	/* If it has begun nevertheless, its memory must stay. */
	if (!cancel_work(&item->work))
		return -EBUSY;
	return start_timer(item);
}

static noinline void owned_section(u64 ns)
{
	spin(ns);
}

static noinline void owned_inner(u64 ns)
{
	spin(ns);
}

static noinline void owned_outer(u64 ns)
{
	spin(ns);
}

static int set_section(u64 ns)
{
	tprof_owner_enter(SUBSYSTEM, 1ULL << 40);
	owned_section(ns);
	tprof_owner_enter(SUBSYSTEM + 1, 2);
	owned_inner(ns);
	tprof_owner_leave();
	owned_outer(ns);
	tprof_owner_leave();
	return 0;
}

static noinline void owned_softirq(void)
{
	spin(HANDLER_NS);
}

static noinline void owned_after(void)
{
	spin(HANDLER_NS);
}

static void work_in_timer(struct timer_list *timer)
{
	tprof_owner_enter(SUBSYSTEM + 2, 3);
	owned_softirq();
	tprof_owner_leave();
	owned_after();
	mod_timer(timer, jiffies + 2);
}

static noinline void owned_beside(u64 ns)
{
	spin(ns);
}

static struct timer_list handler;		/* under the lock of the parameters */

static int set_softirq(u64 ns)
{
	timer_setup(&handler, work_in_timer, 0);
	mod_timer(&handler, jiffies + 1);
	tprof_owner_enter(SUBSYSTEM, 4);
	owned_beside(ns);
	tprof_owner_leave();
	/* It starts itself again. */
	timer_shutdown_sync(&handler);
	return 0;
}

static int wait_busy(char *buffer, const struct kernel_param *param)
{
	while (atomic_read(&nr_items))
		msleep(20);
	return sysfs_emit(buffer, "0\n");
}

static int set(const char *value, const struct kernel_param *param)
{
	int (*start)(u64 ns) = param->arg;
	unsigned int ms;
	int err = kstrtouint(value, 0, &ms);

	return err ?: start(ms * NSEC_PER_MSEC);
}

static const struct kernel_param_ops start_ops = {
	.set = set,
};

static const struct kernel_param_ops busy_ops = {
	.get = wait_busy,
};

module_param_cb(work, &start_ops, set_work, 0200);
module_param_cb(wait, &start_ops, set_wait, 0200);
module_param_cb(chain, &start_ops, set_chain, 0200);
module_param_cb(again, &start_ops, set_again, 0200);
module_param_cb(bh, &start_ops, set_bh, 0200);
module_param_cb(timer, &start_ops, set_timer, 0200);
module_param_cb(late, &start_ops, set_late, 0200);
module_param_cb(taken, &start_ops, set_taken, 0200);
module_param_cb(section, &start_ops, set_section, 0200);
module_param_cb(softirq, &start_ops, set_softirq, 0200);
module_param_cb(busy, &busy_ops, NULL, 0400);

static int __init owned_init(void)
{
	queue = alloc_workqueue("tprof_owned", WQ_UNBOUND, 1);
	return queue ? 0 : -ENOMEM;
}

static void __exit owned_exit(void)
{
	while (atomic_read(&nr_items))
		msleep(20);
	destroy_workqueue(queue);
}

module_init(owned_init);
module_exit(owned_exit);

MODULE_DESCRIPTION("Work for somebody, for tests of tprof");
MODULE_LICENSE("GPL");
