/* SPDX-License-Identifier: GPL-2.0-only */
/* ustacks: user call stacks; a sample in the kernel is counted under the user stack that entered the kernel. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts user call stacks by process and cgroup, also those of samples in the kernel.");

struct call {
	tprof_stack_t user;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
};

TPROF_STACKS(stacks, 4096);	/* 8.6 MiB, both generations */
TPROF_TABLE(calls, struct call, 8192);

TPROF_FILTER(ustacks, s)
{
	struct call key = { .cgroup = s->cgroup_id, .tgid = tprof_tgid_event(s), .exec = s->exec_id };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	key.user = tprof_user_stack(stacks, s);
	tprof_count(calls, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
