/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes, with all that they fork, and the threads that a session sees. */
#ifndef _TPROF_SCOPE_TASK_H
#define _TPROF_SCOPE_TASK_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "uapi/tprof_device.h"

struct task_struct;

struct tprof_scope_tasks {
	u32 kinds;				/* s, read by the sample path: bits, of those that there are or were */
	bool followed;				/* s: in the list of those that follow forks */
	struct hlist_head *table;		/* struct scope_task by id; under lock, R; NULL: there never was one */
	raw_spinlock_t lock;
	unsigned int nr;			/* under lock */
	unsigned int prune_at;			/* A: entries at which the dead are looked for */
	atomic_long_t failed;			/* A: children that could not be added for want of memory */
	struct list_head list;			/* under followers_mutex, R: those that follow forks */
	struct work_struct prune;
};

void tprof_scope_tasks_init(struct tprof_scope_tasks *tasks);
/* No more children are followed. */
void tprof_scope_unfollow(struct tprof_scope_tasks *tasks);
/* Nobody looks any more. */
void tprof_scope_tasks_fini(struct tprof_scope_tasks *tasks);

/* The session's mutex is held. Errors as in the uapi. */
int tprof_scope_attach_task(struct tprof_scope_tasks *tasks, const struct tprof_target *target);
int tprof_scope_detach_task(struct tprof_scope_tasks *tasks, const struct tprof_target *target);

/* Hard interrupt context, or interrupts off. The sample is of that task. */
bool tprof_scope_has_task(const struct tprof_scope_tasks *tasks, const struct tprof_sample *s,
			  struct task_struct *task);

int tprof_scopes_init(void);
void tprof_scopes_exit(void);

#endif
