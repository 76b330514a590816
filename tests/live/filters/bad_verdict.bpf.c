/* SPDX-License-Identifier: GPL-2.0-only */
/* Returns an invalid verdict: each of its samples counts as lost (bad_verdict). */
#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, __u64, 16);

TPROF_FILTER(verdict42, s)
{
	tprof_count(counts, 0, s->weight);
	return 42;
}

TPROF_LICENSE("GPL");
