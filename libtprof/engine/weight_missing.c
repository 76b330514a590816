// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Counts the weight that a counter has counted beyond the weights of the samples. */
#include "weight_missing.h"

void weight_missing_update(struct weight_missing *missing, uint64_t counted, uint64_t weight, uint64_t period,
			   uint32_t factor)
{
	uint64_t known = weight + missing->missed.weight + missing->cut;
	uint64_t samples = counted > known ? (counted - known) / period : 0, present = 2 * (uint64_t)factor;

	if (samples < present)
		return;
	samples -= present - 1;
	missing->missed.samples += samples;
	missing->missed.weight += samples * period;
}

void weight_missing_cut(struct weight_missing *missing, uint64_t period)
{
	missing->cut += period;
}
