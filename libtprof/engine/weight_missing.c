// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Counts the weight that a counter has counted beyond the weights of the samples. */
#include "weight_missing.h"

/* In samples, with those that are present. */
static uint64_t unaccounted(const struct weight_missing *missing, uint64_t counted, uint64_t weight, uint64_t period)
{
	uint64_t known = weight + missing->missed.weight + missing->cut;

	return counted > known ? (counted - known) / period : 0;
}

/* How many samples are never missing: those in progress. */
static uint64_t present(uint32_t factor)
{
	return 2 * (uint64_t)factor - 1;
}

bool weight_missing_finds(const struct weight_missing *missing, uint64_t counted, uint64_t weight, uint64_t period,
			  uint32_t factor)
{
	return unaccounted(missing, counted, weight, period) > present(factor);
}

void weight_missing_update(struct weight_missing *missing, uint64_t counted, uint64_t weight, uint64_t period,
			   uint32_t factor)
{
	uint64_t samples = unaccounted(missing, counted, weight, period);

	if (samples <= present(factor))
		return;
	samples -= present(factor);
	missing->missed.samples += samples;
	missing->missed.weight += samples * period;
}

void weight_missing_cut(struct weight_missing *missing, uint64_t period)
{
	missing->cut += period;
}
