// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work items with their owners: a hash table of fixed size, because items are queued where no memory can be allocated,
 * with the lock of their pool held. An item can be only in the entries of its bucket; if these are in use, it replaces
 * the one that was queued first, which most likely was cancelled.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "owner_work.h"
#include "payer.h"

#define BUCKET_ENTRIES	8

struct entry {
	const struct work_struct *work;		/* NULL: free */
	work_func_t function;			/* of the item when it was queued: an address may be used again */
	u64 order;				/* the smallest was queued first */
	bool again;				/* the same owner had queued it before, and it was not executed since */
	struct tprof_work_owner owner;
};

struct bucket {
	raw_spinlock_t lock;
	u64 order;				/* of the entry that was set last */
	struct entry entries[BUCKET_ENTRIES];
};

struct tprof_work_table {
	unsigned int bits;			/* I */
	struct bucket *buckets;			/* I */
};

struct tprof_work_table *tprof_work_table_new(unsigned int nr)
{
	struct tprof_work_table *table = kzalloc(sizeof(*table), TPROF_GFP);
	unsigned int i;

	if (!table)
		return NULL;
	table->bits = ilog2(roundup_pow_of_two(max(nr / BUCKET_ENTRIES, 2U)));
	table->buckets = kvcalloc(1UL << table->bits, sizeof(*table->buckets), TPROF_GFP);
	if (!table->buckets) {
		kfree(table);
		return NULL;
	}
	for (i = 0; i < 1U << table->bits; i++)
		raw_spin_lock_init(&table->buckets[i].lock);
	return table;
}

void tprof_work_table_free(struct tprof_work_table *table)
{
	if (!table)
		return;
	kvfree(table->buckets);
	kfree(table);
}

static struct bucket *bucket_of(const struct tprof_work_table *table, const struct work_struct *work)
{
	return &table->buckets[hash_ptr(work, table->bits)];
}

/* With the lock of the bucket held, as the next one. */
static struct entry *find(struct bucket *bucket, const struct work_struct *work)
{
	unsigned int i;

	for (i = 0; i < BUCKET_ENTRIES; i++) {
		if (bucket->entries[i].work == work)
			return &bucket->entries[i];
	}
	return NULL;
}

static struct entry *oldest(struct bucket *bucket)
{
	struct entry *entry = &bucket->entries[0];
	unsigned int i;

	for (i = 1; i < BUCKET_ENTRIES; i++) {
		if (bucket->entries[i].order < entry->order)
			entry = &bucket->entries[i];
	}
	return entry;
}

static bool is_same(const struct tprof_work_owner *a, const struct tprof_work_owner *b)
{
	return a->tgid == b->tgid && a->tid == b->tid && a->exec_id == b->exec_id && a->subsystem == b->subsystem &&
	       a->id == b->id;
}

bool tprof_work_table_set(struct tprof_work_table *table, const struct work_struct *work,
			  const struct tprof_work_owner *owner)
{
	struct bucket *bucket = bucket_of(table, work);
	bool again = false, replaced = false;
	struct entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	entry = find(bucket, work);
	if (entry)
		again = is_same(&entry->owner, owner);
	else
		entry = find(bucket, NULL);
	if (!entry) {
		entry = oldest(bucket);
		replaced = true;
	}
	entry->work = work;
	entry->function = work->func;
	entry->order = ++bucket->order;
	entry->again = again;
	entry->owner = *owner;
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return !replaced;
}

void tprof_work_table_forget(struct tprof_work_table *table, const struct work_struct *work)
{
	struct bucket *bucket = bucket_of(table, work);
	struct entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	entry = find(bucket, work);
	if (entry)
		entry->work = NULL;
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/*
 * An item is no longer pending shortly before its execution is seen, so it may have been queued again in between. Then
 * it is pending now, and the entry is that of its next execution: it stays. The entry of this one was overwritten; its
 * owner is known only if it was the same.
 */
enum tprof_work_found tprof_work_table_take(struct tprof_work_table *table, const struct work_struct *work,
					    struct tprof_work_owner *owner)
{
	struct bucket *bucket = bucket_of(table, work);
	enum tprof_work_found found = TPROF_WORK_NONE;
	struct entry *entry;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	entry = find(bucket, work);
	if (entry && entry->function == work->func) {
		bool queued_again = work_pending(work);

		found = queued_again && !entry->again ? TPROF_WORK_UNCLEAR : TPROF_WORK_OWNED;
		*owner = entry->owner;
		entry->again = false;
		if (!queued_again)
			entry->work = NULL;
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return found;
}

unsigned int tprof_work_table_capacity(const struct tprof_work_table *table)
{
	return BUCKET_ENTRIES << table->bits;
}

unsigned int tprof_work_table_count(const struct tprof_work_table *table)
{
	unsigned int i, k, nr = 0;

	for (i = 0; i < 1U << table->bits; i++) {
		struct bucket *bucket = &table->buckets[i];

		raw_spin_lock_irq(&bucket->lock);
		for (k = 0; k < BUCKET_ENTRIES; k++)
			nr += !!bucket->entries[k].work;
		raw_spin_unlock_irq(&bucket->lock);
	}
	return nr;
}
