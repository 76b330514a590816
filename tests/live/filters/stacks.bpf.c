/* SPDX-License-Identifier: GPL-2.0-only */
/* stacks: call stacks by process. */
#include <tprof/filter.bpf.h>

struct call {
	tprof_stack_t user;
	tprof_stack_t kernel;
	tprof_tgid_t tgid;
	tprof_exec_t exec;
};

TPROF_STACKS(chains, 2048);
TPROF_TABLE(calls, struct call, 8192);

TPROF_FILTER(stacks, s)
{
	struct call key = { .tgid = s->tgid, .exec = s->exec_id };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	key.user = tprof_user_stack(chains, s);
	key.kernel = tprof_kernel_stack(chains, s);
	tprof_count(calls, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
