/* SPDX-License-Identifier: GPL-2.0-only */
/* Budgets of filters, for filter.c. Process context; with the mutex of the session held. */
#ifndef _TPROF_FILTER_BUDGET_H
#define _TPROF_FILTER_BUDGET_H

struct tprof_filter;

/* Gives a filter that is not called yet a whole budget. */
void tprof_filter_budget_init(struct tprof_filter *filter);
/*
 * Calls the program, with a new budget: at least a second after the filter has exceeded the old one. When
 * on_each_cpu_mask() returns, the old program has returned on every CPU of the session and its run time has been
 * charged, so that none of it is charged to the new budget.
 */
void tprof_filter_resume(struct tprof_filter *filter);
/* Jiffies until the filter may be called again, a second after it has exceeded its budget. */
unsigned long tprof_filter_waits(const struct tprof_filter *filter);
/* Calls the program when the second is over in which the filter has exceeded its budget. */
void tprof_filter_resume_later(struct tprof_filter *filter);
/* Remembers what the filter, which is not called any more, has spent of its budget. */
void tprof_filter_keep_spent(struct tprof_filter *filter);
/*
 * Takes over what a filter of the same user has spent in this second. If that was all, the program is called when the
 * second is over, as one that replaces another. To be called after the filter has joined, before it is called.
 */
void tprof_filter_take_spent(struct tprof_filter *filter);

#endif
