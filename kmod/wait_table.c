// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads that wait. Each bucket has a lock, and so does the list of free entries. A lock is held for a lookup and
 * a copy; there are as many buckets as entries, so it is seldom contended.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "payer.h"
#include "wait_table.h"

struct tprof_wait_entry {
	struct hlist_node node;			/* in a bucket, or in the list of free entries */
	struct task_struct *task;		/* NULL: free */
	struct tprof_waiting waiting;
};

struct tprof_wait_table *tprof_wait_table_new(unsigned int nr)
{
	struct tprof_wait_table *table = kzalloc(sizeof(*table), TPROF_GFP);
	unsigned int i;

	if (!table)
		return NULL;
	table->nr = nr;
	table->bits = ilog2(roundup_pow_of_two(nr));
	table->buckets = kvcalloc(1UL << table->bits, sizeof(*table->buckets), TPROF_GFP);
	table->entries = kvcalloc(nr, sizeof(*table->entries), TPROF_GFP);
	if (!table->buckets || !table->entries) {
		tprof_wait_table_free(table);
		return NULL;
	}
	for (i = 0; i < 1U << table->bits; i++)
		raw_spin_lock_init(&table->buckets[i].lock);
	raw_spin_lock_init(&table->free_lock);
	while (nr--)
		hlist_add_head(&table->entries[nr].node, &table->free);
	return table;
}

void tprof_wait_table_free(struct tprof_wait_table *table)
{
	if (!table)
		return;
	kvfree(table->buckets);
	kvfree(table->entries);
	kfree(table);
}

/* With the lock of the bucket held. */
static struct tprof_wait_entry *find(const struct tprof_wait_bucket *bucket, const struct task_struct *task)
{
	struct tprof_wait_entry *entry;

	hlist_for_each_entry(entry, &bucket->entries, node) {
		if (entry->task == task)
			return entry;
	}
	return NULL;
}

/* Likewise. */
static struct tprof_wait_entry *insert(struct tprof_wait_table *table, struct tprof_wait_bucket *bucket,
				       struct task_struct *task)
{
	struct tprof_wait_entry *entry;

	raw_spin_lock(&table->free_lock);
	entry = hlist_entry_safe(table->free.first, struct tprof_wait_entry, node);
	if (entry)
		hlist_del(&entry->node);
	raw_spin_unlock(&table->free_lock);
	if (!entry)
		return NULL;
	memset(&entry->waiting, 0, sizeof(entry->waiting));
	WRITE_ONCE(entry->task, task);
	hlist_add_head(&entry->node, &bucket->entries);
	return entry;
}

/* tprof_wait_table_next() reads it without the lock. */
static void set_from(struct tprof_wait_entry *entry, u64 from_ns)
{
	WRITE_ONCE(entry->waiting.from_ns, from_ns);
}

/*
 * A waker may have chosen the task already, but cannot go on until the task has left its CPU: it holds a lock of the
 * task, and may have changed its state. The entry has it if it was there before.
 */
static void start(struct tprof_wait_entry *entry, const struct tprof_waiting *waiting)
{
	bool chosen = READ_ONCE(entry->task->__state) == TASK_WAKING;
	struct tprof_waiting *to = &entry->waiting;

	to->from_cpu = waiting->from_cpu;
	to->state = waiting->state;
	to->runnable = waiting->runnable;
	if (!chosen && !raw_spin_is_locked(&entry->task->pi_lock)) {
		to->woken_ns = 0;
		to->waker.flags = 0;
	} else if (chosen && !to->woken_ns) {
		to->woken_ns = waiting->from_ns;
	}
	set_from(entry, waiting->from_ns);
}

bool tprof_wait_table_begin(struct tprof_wait_table *table, struct task_struct *task,
			    const struct tprof_waiting *waiting)
{
	struct tprof_wait_bucket *bucket = tprof_wait_bucket_of(table, task);
	struct tprof_wait_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	entry = find(bucket, task) ?: insert(table, bucket, task);
	if (entry)
		start(entry, waiting);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return entry;
}

bool tprof_wait_table_insert(struct tprof_wait_table *table, struct task_struct *task,
			     const struct tprof_waiting *waiting)
{
	struct tprof_wait_bucket *bucket = tprof_wait_bucket_of(table, task);
	struct tprof_wait_entry *entry = NULL;
	unsigned long flags;
	bool needed;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	/* A task that is dead is forgotten after its state was set, so it is not inserted after that. */
	needed = !find(bucket, task) && !(READ_ONCE(task->__state) & TASK_DEAD);
	if (needed)
		entry = insert(table, bucket, task);
	if (entry)
		start(entry, waiting);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return entry || !needed;
}

bool tprof_wait_table_end(struct tprof_wait_table *table, struct task_struct *task, struct tprof_waiting *waiting)
{
	struct tprof_wait_bucket *bucket = tprof_wait_bucket_of(table, task);
	struct tprof_wait_entry *entry;
	bool waits;

	raw_spin_lock(&bucket->lock);
	entry = find(bucket, task);
	waits = entry && entry->waiting.from_ns;
	if (waits) {
		*waiting = entry->waiting;
		entry->waiting.woken_ns = 0;
		entry->waiting.waker.flags = 0;
		set_from(entry, 0);
	}
	raw_spin_unlock(&bucket->lock);
	return waits;
}

bool tprof_wait_table_wake(struct tprof_wait_table *table, struct task_struct *task,
			   void (*describe)(struct tprof_waker *waker), struct tprof_waiting *waiting)
{
	struct tprof_wait_bucket *bucket = tprof_wait_bucket_of(table, task);
	struct tprof_wait_entry *entry;
	bool ends = false;

	raw_spin_lock(&bucket->lock);
	entry = find(bucket, task);
	/*
	 * A task that does not wait is about to; or it goes on, and who woke it may be kept by start(). So a waker that
	 * comes while the task waits is the first one, unless another one has come since the wait began.
	 */
	if (entry && (!entry->waiting.from_ns || entry->waiting.woken_ns < entry->waiting.from_ns)) {
		ends = entry->waiting.from_ns && !entry->waiting.runnable;
		entry->waiting.woken_ns = ktime_get_mono_fast_ns();
		describe(&entry->waiting.waker);
		if (ends && waiting)
			*waiting = entry->waiting;
	}
	raw_spin_unlock(&bucket->lock);
	return ends;
}

void tprof_wait_table_forget(struct tprof_wait_table *table, struct task_struct *task)
{
	struct tprof_wait_bucket *bucket = tprof_wait_bucket_of(table, task);
	struct tprof_wait_entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	entry = find(bucket, task);
	if (entry) {
		hlist_del(&entry->node);
		set_from(entry, 0);
		WRITE_ONCE(entry->task, NULL);
		raw_spin_lock(&table->free_lock);
		hlist_add_head(&entry->node, &table->free);
		raw_spin_unlock(&table->free_lock);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

struct task_struct *tprof_wait_table_next(struct tprof_wait_table *table, unsigned int *index, unsigned int end,
					  u64 *from_ns)
{
	struct task_struct *task = NULL;

	/*
	 * A task in the table has not left its CPU for the last time, so its memory stays for a grace period after
	 * that. What is read here may be of two waits, or of two tasks: then tprof_wait_table_take() returns false.
	 */
	rcu_read_lock();
	for (; *index < end && !task; ++*index) {
		struct tprof_wait_entry *entry = &table->entries[*index];

		*from_ns = READ_ONCE(entry->waiting.from_ns);
		if (*from_ns)
			task = READ_ONCE(entry->task);
		if (task)
			task = tryget_task_struct(task);
	}
	rcu_read_unlock();
	return task;
}

bool tprof_wait_table_take(struct tprof_wait_table *table, struct task_struct *task, u64 from_ns, u64 now,
			   struct tprof_waiting *waiting)
{
	struct tprof_wait_bucket *bucket = tprof_wait_bucket_of(table, task);
	struct tprof_wait_entry *entry;
	bool waits;

	raw_spin_lock(&bucket->lock);
	entry = find(bucket, task);
	waits = entry && entry->waiting.from_ns == from_ns;
	if (waits) {
		*waiting = entry->waiting;
		set_from(entry, now);
	}
	raw_spin_unlock(&bucket->lock);
	return waits;
}
