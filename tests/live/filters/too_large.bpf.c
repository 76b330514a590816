/* SPDX-License-Identifier: GPL-2.0-only */
/* A table that is too large for any kernel. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, __u64, 0x30000000);

TPROF_FILTER(too_large, s)
{
	tprof_count(counts, s->ip, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
