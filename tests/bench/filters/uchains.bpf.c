/* SPDX-License-Identifier: GPL-2.0-only */
/* uchains: counts by user call stack, also for samples in system calls. */
#include <tprof/filter.bpf.h>

TPROF_STACKS(stacks, 4096);
TPROF_TABLE(chains, tprof_stack_t, 4096);

TPROF_FILTER(uchains, s)
{
	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(chains, tprof_user_stack(stacks, s), s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
