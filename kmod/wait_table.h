/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that wait, by task: a hash table whose entries are allocated when it is made, because a thread begins to
 * wait where no memory can be allocated, with its run queue locked.
 *
 * An entry is inserted when its thread first leaves a CPU, and removed when the thread leaves it for the last time. So
 * the table never has a task that is freed. Any context but NMI, unless stated otherwise; all locks are leaf locks that
 * nest inside that of a run queue.
 */
#ifndef _TPROF_WAIT_TABLE_H
#define _TPROF_WAIT_TABLE_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "uapi/tprof_wait.h"

struct task_struct;

/* As the members of struct tprof_wait. All zero: not known. */
struct tprof_waker {
	u64 cgroup_id;
	u32 flags;
	u32 tgid;
	u32 tid;
	u32 exec_id;
	char comm[TPROF_COMM_LEN];
};

/* A wait in progress. Times are CLOCK_MONOTONIC. */
struct tprof_waiting {
	u64 from_ns;				/* the time up to here is counted; 0: the thread does not wait */
	u64 woken_ns;				/* 0: not yet */
	struct tprof_waker waker;
	u32 from_cpu;
	u32 state;				/* enum tprof_state */
	bool runnable;				/* it was ready to run when it left */
};

struct tprof_wait_bucket {
	raw_spinlock_t lock;
	struct hlist_head entries;
};

struct tprof_wait_table {
	unsigned int bits, nr;			/* I */
	raw_spinlock_t free_lock;		/* nests inside that of a bucket */
	struct hlist_head free;
	struct tprof_wait_bucket *buckets;	/* I */
	struct tprof_wait_entry *entries;	/* I */
};

static inline struct tprof_wait_bucket *tprof_wait_bucket_of(const struct tprof_wait_table *table,
							     const struct task_struct *task)
{
	return &table->buckets[table->bits ? hash_ptr(task, table->bits) : 0];
}

/*
 * False: the task has no entry. Without lock: the entry of a task that has left its CPU is seen by the CPU that wakes
 * it or switches to it. Most threads have none if the session has a scope.
 */
static inline bool tprof_wait_table_may_have(const struct tprof_wait_table *table, const struct task_struct *task)
{
	return !hlist_empty(&tprof_wait_bucket_of(table, task)->entries);
}

/* Has space for that many threads. Process context. NULL: no memory. */
struct tprof_wait_table *tprof_wait_table_new(unsigned int nr);
/* Accepts NULL. Process context. */
void tprof_wait_table_free(struct tprof_wait_table *table);

/* The task leaves its CPU, or is found waiting. A waker that has come for this wait stays. False: there is no space. */
bool tprof_wait_table_begin(struct tprof_wait_table *table, struct task_struct *task,
			    const struct tprof_waiting *waiting);
/* Inserts a task that is not in the table and will run again. Returns false if there is no space. */
bool tprof_wait_table_insert(struct tprof_wait_table *table, struct task_struct *task,
			     const struct tprof_waiting *waiting);
/* The task runs again. Fills @waiting and returns true if it was known to wait. Interrupts disabled. */
bool tprof_wait_table_end(struct tprof_wait_table *table, struct task_struct *task, struct tprof_waiting *waiting);
/*
 * The task is being woken: the first waker of a wait is kept. Fills @waiting and returns true if that ends the time in
 * which the task is blocked: a task that does not wait yet may be about to. @waiting may be NULL. Interrupts disabled.
 */
bool tprof_wait_table_wake(struct tprof_wait_table *table, struct task_struct *task,
			   void (*describe)(struct tprof_waker *waker), struct tprof_waiting *waiting);
/* The task will never run again. */
void tprof_wait_table_forget(struct tprof_wait_table *table, struct task_struct *task);

/*
 * For waits in progress: the task of the first entry from *index on, before @end, that waits, with a reference, and the
 * time from which it waits. Sets *index to the next entry. Returns NULL if none waits, when *index is @end. Any context
 * but NMI.
 */
struct task_struct *tprof_wait_table_next(struct tprof_wait_table *table, unsigned int *index, unsigned int end,
					  u64 *from_ns);
/*
 * Takes the part of a wait up to @now. Returns false if the task no longer waits since @from_ns: it has run.
 * Interrupts disabled.
 */
bool tprof_wait_table_take(struct tprof_wait_table *table, struct task_struct *task, u64 from_ns, u64 now,
			   struct tprof_waiting *waiting);

#endif
