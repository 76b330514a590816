/* SPDX-License-Identifier: GPL-2.0-only */
/* copies: user stacks only, from copies, for half of the samples, so that some samples have no copy. */
#include <tprof/filter.bpf.h>

struct call {
	tprof_stack_t user;
	tprof_tgid_t tgid;
	tprof_exec_t exec;
};

TPROF_COPIES(2048);
TPROF_TABLE(calls, struct call, 4096);

TPROF_FILTER(copies, s)
{
	struct call key = { .tgid = s->tgid, .exec = s->exec_id };

	if ((s->flags & TPROF_SAMPLE_IDLE) || !(s->time_ns & 1024))
		return TPROF_DONE;
	key.user = tprof_user_copy(s);
	tprof_count(calls, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
