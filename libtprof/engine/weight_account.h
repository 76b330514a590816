/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What one CPU's counter has counted and no sample stands for, where samples say how much they stand for. Pure
 * arithmetic.
 *
 * Up to two periods are never missing: one that is running, and one whose sample is on its way. As in cpu_account.h,
 * the account only ever grows.
 */
#ifndef TPROF_WEIGHT_ACCOUNT_H
#define TPROF_WEIGHT_ACCOUNT_H

#include <stdint.h>

#include "uapi/tprof.h"

struct weight_account {
	struct tprof_tally missed;
	uint64_t cut;			/* parts of periods that were cut off when the period was changed */
};

/* @counted is read before @weight, the weight of all samples that have fired; both since the start. */
void weight_account_update(struct weight_account *account, uint64_t counted, uint64_t weight, uint64_t period);

/* The period is changed from this: what had passed of it gets no sample. */
void weight_account_cut(struct weight_account *account, uint64_t period);

#endif
