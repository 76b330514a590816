/* SPDX-License-Identifier: GPL-2.0-only */
/* few_stacks: call stacks with a very small stack table. */
#include <tprof/filter.bpf.h>

struct call {
	tprof_stack_t kernel;
	tprof_stack_t user;
	tprof_tgid_t tgid;
	tprof_exec_t exec;
};

TPROF_STACKS(chains, 4);
TPROF_TABLE(calls, struct call, 8192);

TPROF_FILTER(few_stacks, s)
{
	struct call key = { .tgid = s->tgid, .exec = s->exec_id };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	key.kernel = tprof_kernel_stack(chains, s);
	key.user = tprof_user_stack(chains, s);
	tprof_count(calls, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
