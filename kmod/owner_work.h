/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work items that are queued and have an owner, by address. Of an item that is cancelled, the entry stays until the
 * item is queued again, or until another item needs the space.
 *
 * Any context but NMI; the locks are leaf locks, taken with those of workqueues held.
 */
#ifndef _TPROF_OWNER_WORK_H
#define _TPROF_OWNER_WORK_H

#include <linux/types.h>

#include "uapi/tprof_owner.h"

struct tprof_work_table;
struct work_struct;

/* Results of tprof_work_table_take(). */
enum tprof_work_found {
	TPROF_WORK_NONE,			/* the item has no owner */
	TPROF_WORK_OWNED,
	TPROF_WORK_UNCLEAR,			/* the owner is that of its next execution */
};

/* Has space for about that many work items. Process context. NULL: no memory. */
struct tprof_work_table *tprof_work_table_new(unsigned int nr);
/* Accepts NULL. Process context. */
void tprof_work_table_free(struct tprof_work_table *table);

/* The work item is being queued, and was not pending. Returns false if it has replaced another one. */
bool tprof_work_table_set(struct tprof_work_table *table, const struct work_struct *work,
			  const struct tprof_work_owner *owner);
/* The work item is being queued, without owner. */
void tprof_work_table_forget(struct tprof_work_table *table, const struct work_struct *work);
/* The work item is about to be executed: fills @owner if it is TPROF_WORK_OWNED. */
enum tprof_work_found tprof_work_table_take(struct tprof_work_table *table, const struct work_struct *work,
					    struct tprof_work_owner *owner);

unsigned int tprof_work_table_capacity(const struct tprof_work_table *table);
/* Number of entries. Process context. */
unsigned int tprof_work_table_count(const struct tprof_work_table *table);

#endif
