/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Counts the weight that one CPU's counter has counted beyond the weights of the samples. Pure arithmetic.
 *
 * Up to two periods are not missing: one in progress, and one whose sample is being taken. As in cpu_missing.h, the
 * tallies never decrease. The module may sample with a multiple of the period (struct tprof_counts).
 */
#ifndef TPROF_WEIGHT_MISSING_H
#define TPROF_WEIGHT_MISSING_H

#include <stdbool.h>
#include <stdint.h>

#include "uapi/tprof.h"

struct weight_missing {
	struct tprof_tally missed;
	uint64_t cut;			/* weight of periods that a change of the period cut off */
};

/* Whether weight_missing_update() with the same arguments would find anything missing. */
bool weight_missing_finds(const struct weight_missing *missing, uint64_t counted, uint64_t weight, uint64_t period,
			  uint32_t factor);

/*
 * @counted is read before @weight, the weight of all samples that have fired. Both are since the start. @factor: how
 * many periods a sample may represent.
 */
void weight_missing_update(struct weight_missing *missing, uint64_t counted, uint64_t weight, uint64_t period,
			   uint32_t factor);

/* The period changes from @period to another one: its elapsed part produces no sample. */
void weight_missing_cut(struct weight_missing *missing, uint64_t period);

#endif
