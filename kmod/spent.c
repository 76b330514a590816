// SPDX-License-Identifier: GPL-2.0-only
/* Remembers the budgets of filters that were detached. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "payer.h"
#include "spent.h"

static void drop_old(struct work_struct *work);

static LIST_HEAD(all_spent);
static DEFINE_MUTEX(spent_mutex);		/* a leaf lock */
static DECLARE_DELAYED_WORK(drop_work, drop_old);

static void drop(struct tprof_spent *spent)
{
	list_del(&spent->list);
	kfree(spent);
}

static void drop_old(struct work_struct *work)
{
	struct tprof_spent *spent, *next;

	mutex_lock(&spent_mutex);
	list_for_each_entry_safe(spent, next, &all_spent, list) {
		if (time_after(jiffies, spent->until))
			drop(spent);
	}
	if (!list_empty(&all_spent))
		schedule_delayed_work(&drop_work, HZ / 2);
	mutex_unlock(&spent_mutex);
}

struct tprof_spent *tprof_spent_new(void)
{
	struct tprof_spent *spent;

	return kzalloc(struct_size(spent, cpu, nr_cpu_ids), TPROF_GFP);
}

void tprof_spent_keep(struct tprof_spent *spent, kuid_t uid)
{
	spent->uid = uid;
	spent->until = jiffies + HZ;
	mutex_lock(&spent_mutex);
	list_add_tail(&spent->list, &all_spent);
	schedule_delayed_work(&drop_work, HZ);
	mutex_unlock(&spent_mutex);
}

struct tprof_spent *tprof_spent_take(kuid_t uid)
{
	struct tprof_spent *spent, *found = NULL;

	mutex_lock(&spent_mutex);
	list_for_each_entry(spent, &all_spent, list) {
		if (!uid_eq(spent->uid, uid) || time_after(jiffies, spent->until))
			continue;
		if (!found || spent->disabled)
			found = spent;
		if (found->disabled)
			break;
	}
	if (found)
		list_del(&found->list);
	mutex_unlock(&spent_mutex);
	return found;
}

void tprof_spent_exit(void)
{
	cancel_delayed_work_sync(&drop_work);
	while (!list_empty(&all_spent))
		drop(list_first_entry(&all_spent, struct tprof_spent, list));
}
