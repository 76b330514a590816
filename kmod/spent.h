/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budgets of filters that were detached, remembered until their second is over. The next filter of the same user takes
 * one over: otherwise a filter that is attached again and again, or to a new session each time, would have a whole
 * budget each time. So a user has as many budgets as filters that are attached at the same time.
 *
 * Process context.
 */
#ifndef _TPROF_SPENT_H
#define _TPROF_SPENT_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

/* Times are in units of tprof_clock() of that CPU. */
struct tprof_spent_cpu {
	s64 spent;
	u64 window_began;			/* the second in which it was spent */
};

struct tprof_spent {
	struct list_head list;			/* under spent_mutex: all, oldest first */
	kuid_t uid;				/* I */
	unsigned long until;			/* I: jiffies */
	bool disabled;				/* I: the filter had exceeded the budget */
	u64 disabled_ns;			/* I: CLOCK_MONOTONIC when it had */
	struct tprof_spent_cpu cpu[];		/* I: by CPU */
};

/* Returns NULL if memory is short. */
struct tprof_spent *tprof_spent_new(void);
/* Remembers what a filter of that user has spent. Takes over @spent. */
void tprof_spent_keep(struct tprof_spent *spent, kuid_t uid);
/*
 * Returns what a filter of that user has spent, which the caller has to kfree(): that of one over its budget, if there
 * is one. Or NULL.
 */
struct tprof_spent *tprof_spent_take(kuid_t uid);
/* To be called when no filter is left. */
void tprof_spent_exit(void);

#endif
