// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the tracepoints of workqueues. A work item is queued with the lock of its pool held and interrupts
 * disabled, once for each execution: the tracepoint does not fire for an item that is pending already. It is executed
 * by a thread of the pool, or in a soft interrupt, without locks.
 *
 * Work that a timer, an interrupt or a thread of the kernel queues has no owner, unless that works for somebody itself.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "owner_probes.h"
#include "tracepoint.h"

static atomic64_t nr_replaced, nr_unclear, nr_full;

void tprof_owners_count_full(void)
{
	atomic64_inc(&nr_full);
}

struct pool_workqueue;

static void on_queue(void *unused, int req_cpu, struct pool_workqueue *pwq, struct work_struct *work)
{
	struct tprof_owners *owners;
	struct tprof_work_owner owner;

	rcu_read_lock();
	owners = tprof_owners_now();
	if (owners && tprof_owners_of_current(owners, &owner)) {
		if (!tprof_work_table_set(tprof_owners_works(owners), work, &owner))
			atomic64_inc(&nr_replaced);
	} else if (owners) {
		tprof_work_table_forget(tprof_owners_works(owners), work);
	}
	rcu_read_unlock();
}

static void on_start(void *unused, struct work_struct *work)
{
	struct tprof_owners *owners;
	struct tprof_work_owner owner;

	rcu_read_lock();
	owners = tprof_owners_now();
	if (owners) {
		switch (tprof_work_table_take(tprof_owners_works(owners), work, &owner)) {
		case TPROF_WORK_OWNED:
			if (!tprof_owners_push(owners, work, &owner))
				atomic64_inc(&nr_full);
			break;
		case TPROF_WORK_UNCLEAR:
			atomic64_inc(&nr_unclear);
			break;
		case TPROF_WORK_NONE:
			break;
		}
	}
	rcu_read_unlock();
}

/* The item may have been freed: only its address is used. */
static void on_end(void *unused, struct work_struct *work, work_func_t function)
{
	struct tprof_owners *owners;

	rcu_read_lock();
	owners = tprof_owners_now();
	if (owners)
		tprof_owners_pop_work(owners, work);
	rcu_read_unlock();
}

static struct tprof_tracepoint probe_list[] = {
	{ "workqueue_queue_work", on_queue },
	{ "workqueue_execute_start", on_start },
	{ "workqueue_execute_end", on_end },
};

static struct tprof_tracepoints probes = TPROF_TRACEPOINTS(probe_list);

int tprof_owner_probes_get(void)
{
	return tprof_tracepoints_get(&probes);
}

void tprof_owner_probes_put(void)
{
	tprof_tracepoints_put(&probes);
}

void tprof_owner_probes_read(struct tprof_owners_info *info)
{
	info->replaced = atomic64_read(&nr_replaced);
	info->unclear = atomic64_read(&nr_unclear);
	info->full = atomic64_read(&nr_full);
}

int tprof_owners_init(void)
{
	return tprof_tracepoints_init(&probes);
}

void tprof_owners_exit(void)
{
	tprof_tracepoints_exit(&probes);
}
