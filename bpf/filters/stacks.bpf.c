/* SPDX-License-Identifier: GPL-2.0-only */
/* stacks: user and kernel call stacks. The filter of `tprof record`. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts user and kernel call stacks by process and cgroup.");

struct call {
	tprof_stack_t kernel;
	tprof_stack_t user;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
	tprof_state_t state;
};

TPROF_STACKS(stacks, 4096);	/* 8.6 MiB, both generations */
TPROF_TABLE(calls, struct call, 8192);
#define CALL(s, how) { .kernel = tprof_kernel_stack(stacks, s), .user = tprof_user_stack(stacks, s),		\
		       .cgroup = (s)->cgroup_id, .tgid = tprof_tgid_event(s), .exec = (s)->exec_id, .state = how }

TPROF_FILTER(stacks, s)
{
	if (!(s->flags & TPROF_SAMPLE_IDLE)) {
		struct call key = CALL(s, tprof_sample_state(s));

		tprof_count(calls, key, s->weight);
	}
	return TPROF_DONE;
}

TPROF_OFFCPU(stacks, w)
{
	struct call key = CALL(&w->sample, w->state);

	tprof_count(calls, key, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
