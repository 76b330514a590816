// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Counts the weight that a counter has counted beyond the weights of the samples. */
#include "weight_account.h"

void weight_account_update(struct weight_account *account, uint64_t counted, uint64_t weight, uint64_t period,
			   uint32_t factor)
{
	uint64_t known = weight + account->missed.weight + account->cut;
	uint64_t samples = counted > known ? (counted - known) / period : 0, present = 2 * (uint64_t)factor;

	if (samples < present)
		return;
	samples -= present - 1;
	account->missed.samples += samples;
	account->missed.weight += samples * period;
}

void weight_account_cut(struct weight_account *account, uint64_t period)
{
	account->cut += period;
}
