/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The filters that an engine has called in one place: the current one, and those that it replaced. Each sample was seen
 * by exactly one of them, so their counts add up.
 */
#ifndef TPROF_SERVED_H
#define TPROF_SERVED_H

#include "filter/filter.h"

struct served {
	struct tprof_filter **filters;	/* the current one is anywhere among them */
	size_t nr, capacity;
};

/*
 * Reserves memory for another filter, and maps its ledger, so that served_add() does not fail. Errors: ENOMEM, those of
 * mmap.
 */
int served_prepare(struct served *served, struct tprof_filter *filter);
/* Adds a filter, unless it is there already. */
void served_add(struct served *served, struct tprof_filter *filter);
void served_fini(struct served *served);

/*
 * The counts of the filters, of the event on that CPU: until now, or until their last swaps of generations. Until
 * now, a ledger may not close; the caller then retries.
 */
struct tprof_program_ledger served_counted(const struct served *served, size_t event, unsigned int cpu);
struct tprof_program_ledger served_settled(const struct served *served, size_t event, unsigned int cpu);

#endif
