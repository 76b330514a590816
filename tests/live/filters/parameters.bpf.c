// SPDX-License-Identifier: GPL-2.0-only
/* A filter that uses parameters of several types, so that the compiler keeps them. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, tprof_cpu_t, 64);
TPROF_PARAM(_Bool, flag, 0);
TPROF_PARAM(signed char, small, -1);
TPROF_PARAM(__u64, wide, 5);

TPROF_FILTER(parameters, s)
{
	if (flag || small > 0 || wide > 9)
		tprof_count(counts, s->cpu, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
