/* SPDX-License-Identifier: GPL-2.0-only */
/* chains: counts by call stack, by that of the kernel where there is one. */
#include <tprof/filter.bpf.h>

TPROF_STACKS(stacks, 4096);
TPROF_TABLE(chains, tprof_stack_t, 4096);

TPROF_FILTER(chains, s)
{
	tprof_stack_t id;

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	if (s->flags & TPROF_SAMPLE_KERNEL)
		id = tprof_kernel_stack(stacks, s);
	else
		id = tprof_user_stack(stacks, s);
	tprof_count(chains, id, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
