/* SPDX-License-Identifier: GPL-2.0-only */
/* ownstacks: call stacks, and for whom the kernel worked. The filter of `tprof record --owners`. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts call stacks by process, and by the process for which it was done (--owners).");
TPROF_LICENSE("GPL");

struct owned_call {
	tprof_stack_t kernel, user;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
	tprof_owner_t owner;	/* the process itself, if it works for no other */
	tprof_owner_exec_t owner_exec;
};

TPROF_OWNERS(4096);
TPROF_STACKS(stacks, 4096);
TPROF_TABLE(calls, struct owned_call, 8192);

TPROF_FILTER(ownstacks, s)
{
	struct owned_call key = {
		.cgroup = s->cgroup_id, .tgid = tprof_tgid_event(s), .exec = s->exec_id,
	};

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	tprof_owner_or_self(s, &key.owner, &key.owner_exec);
	key.kernel = tprof_kernel_stack(stacks, s);
	key.user = tprof_user_stack(stacks, s);
	tprof_count(calls, key, s->weight);
	return TPROF_DONE;
}
