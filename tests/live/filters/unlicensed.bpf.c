/* SPDX-License-Identifier: GPL-2.0-only */
/* Has no TPROF_LICENSE(): helpers that every filter needs are only available to GPL programs. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, __u64, 16);

TPROF_FILTER(unlicensed, s)
{
	tprof_count(counts, s->ip, s->weight);
	return TPROF_DONE;
}
