/* SPDX-License-Identifier: GPL-2.0-only */
/* A loop that is too long, in the code for waits only. */
#include <tprof/filter.bpf.h>

TPROF_FILTER(waits, s)
{
	return TPROF_DONE;
}

TPROF_OFFCPU(waits, w)
{
	volatile __u64 sum = 0;

	while (w->blocked_ns + sum != 1)
		sum += 2;
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
