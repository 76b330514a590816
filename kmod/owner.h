/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owners: for whom the kernel works. A work item of a workqueue has the owner of the code that queued it, and a section
 * of code has the owner that its module declares (tprof_source.h).
 *
 * Each thread, and each CPU for soft and for hard interrupts, has a short stack of owners: that of the work item that
 * it executes, and those of sections in it. A sample has the owner at the top of the stack of its context. Only the
 * context itself changes its stack, so a sample that interrupts it reads it without a lock.
 *
 * All of this exists only while a filter asks for owners; until then nothing is noted.
 */
#ifndef _TPROF_OWNER_H
#define _TPROF_OWNER_H

#include <linux/types.h>

#include "uapi/tprof_owner.h"

struct task_struct;
struct tprof_owners;

/* Adds a user: from now on, owners are noted. Process context. Errors: ENOMEM. */
int tprof_owners_get(void);
/* Process context. */
void tprof_owners_put(void);

/* The tables, or NULL. In an RCU read-side critical section. */
struct tprof_owners *tprof_owners_now(void);
/*
 * Enters a section, or the execution of the work item @work, in the current context; not in NMI. Returns false if there
 * is no space for the thread: then nothing is entered.
 */
bool tprof_owners_push(struct tprof_owners *owners, const void *work, const struct tprof_work_owner *owner);
/* Leaves the work item, and all sections that were entered in it. */
void tprof_owners_pop_work(struct tprof_owners *owners, const void *work);
/*
 * The owner of what the current context queues: that for which it works, or else the current thread, if it has a user
 * address space. Returns false if it has none, or it is not known. Interrupts disabled, not in NMI.
 */
bool tprof_owners_of_current(struct tprof_owners *owners, struct tprof_work_owner *owner);

/*
 * Fills @owner with the owner of a sample of the current thread or of a handler on this CPU, by the flags of the
 * sample. Returns false if there is none, or it is not known. Interrupts disabled, or NMI.
 */
bool tprof_owner_of_sample(u32 sample_flags, struct tprof_work_owner *owner);
/* The same for a thread that does not run, or may be about to: then it has the owner of one moment. RCU. */
bool tprof_owner_of_task(struct task_struct *task, struct tprof_work_owner *owner);

/* Use of the tables now, and counts since the module was loaded. */
struct tprof_owners_info {
	unsigned int users;
	unsigned int capacity;			/* work items that may wait at a time */
	unsigned int waiting;			/* work items that wait, or were cancelled */
	unsigned int working;			/* threads that work for somebody */
	u64 replaced;				/* work items that were replaced by others, and have no owner */
	u64 unclear;				/* work items of which it is not known who queued them */
	u64 full;				/* work items and sections of threads for which there was no space */
};

void tprof_owners_read(struct tprof_owners_info *info);

/* Errors: EOPNOTSUPP (the kernel lacks the tracepoints of workqueues). */
int tprof_owners_init(void);
/* After the last filter is freed. */
void tprof_owners_exit(void);

#endif
