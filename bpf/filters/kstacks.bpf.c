/* SPDX-License-Identifier: GPL-2.0-only */
/* kstacks: kernel call stacks. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts kernel call stacks by process and cgroup.");

struct call {
	tprof_stack_t kernel;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
};

TPROF_STACKS(stacks, 4096);	/* 8.6 MiB, both generations */
TPROF_TABLE(calls, struct call, 8192);

TPROF_FILTER(kstacks, s)
{
	struct call key = { .cgroup = s->cgroup_id, .tgid = tprof_tgid_event(s), .exec = s->exec_id };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	key.kernel = tprof_kernel_stack(stacks, s);
	tprof_count(calls, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
