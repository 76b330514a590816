/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes, with their descendants, and threads in the scope of a session. */
#ifndef _TPROF_SCOPE_TASK_H
#define _TPROF_SCOPE_TASK_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "uapi/tprof_device.h"

struct task_struct;
struct tprof_payer;

struct tprof_scope_tasks {
	const struct tprof_payer *payer;	/* I: of the session */
	u32 kinds;				/* s, read by the sample path: BIT(kind) of all targets so far */
	bool followed;				/* s: is in the list of followers */
	struct hlist_head *table;		/* struct scope_task by id; under lock, R; NULL: never had a task */
	raw_spinlock_t lock;
	unsigned int nr;			/* entries; under lock */
	unsigned int prune_at;			/* A: number of entries that triggers pruning */
	atomic_long_t failed;			/* A: children that were not added because memory was short */
	struct hlist_head spares;		/* preallocated entries, while followed; under lock */
	unsigned int nr_spares;			/* under lock */
	struct work_struct refill;
	struct list_head list;			/* under followers_mutex, R: followers */
	struct work_struct prune;
};

void tprof_scope_tasks_init(struct tprof_scope_tasks *tasks, const struct tprof_payer *payer);
/* Stops following forks. Process context. */
void tprof_scope_unfollow(struct tprof_scope_tasks *tasks);
/* Frees all entries. The sample path must not use the scope any more. */
void tprof_scope_tasks_fini(struct tprof_scope_tasks *tasks);

/* With the session's mutex held. Errors: see TPROF_IOC_ATTACH. */
int tprof_scope_attach_task(struct tprof_scope_tasks *tasks, const struct tprof_target *target);
int tprof_scope_detach_task(struct tprof_scope_tasks *tasks, const struct tprof_target *target);

/* Tests whether @task, which was sampled, is in scope. Context as tprof_scope_has(). */
bool tprof_scope_has_task(const struct tprof_scope_tasks *tasks, const struct tprof_sample *s,
			  struct task_struct *task);

int tprof_scopes_init(void);
void tprof_scopes_exit(void);

#endif
