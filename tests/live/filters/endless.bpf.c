/* SPDX-License-Identifier: GPL-2.0-only */
/* An infinite loop, which the verifier must refuse. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, __u64, 16);

TPROF_FILTER(endless, s)
{
	volatile __u64 more = s->weight;

	while (more)
		more++;
	tprof_count(counts, more, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
