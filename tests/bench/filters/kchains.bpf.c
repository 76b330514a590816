/* SPDX-License-Identifier: GPL-2.0-only */
/* kchains: counts by kernel call stack. */
#include <tprof/filter.bpf.h>

TPROF_STACKS(stacks, 4096);
TPROF_TABLE(chains, tprof_stack_t, 4096);

TPROF_FILTER(kchains, s)
{
	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(chains, tprof_kernel_stack(stacks, s), s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
