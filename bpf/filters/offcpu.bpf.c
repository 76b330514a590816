/* SPDX-License-Identifier: GPL-2.0-only */
/* offcpu: where threads wait, and why. For the event off-cpu. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts waits by process, state, system call and call stack.");
TPROF_EVENT("off-cpu");

struct wait {
	tprof_stack_t kernel;
	tprof_stack_t user;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
	tprof_state_t state;
	tprof_syscall_t syscall;
};

TPROF_STACKS(stacks, 4096);
TPROF_TABLE(waits, struct wait, 8192);

TPROF_FILTER(offcpu, s)
{
	return TPROF_DONE;
}

TPROF_OFFCPU(offcpu, w)
{
	struct wait key = {
		.kernel = tprof_kernel_stack(stacks, &w->sample), .user = tprof_user_stack(stacks, &w->sample),
		.cgroup = w->sample.cgroup_id, .tgid = tprof_tgid_event(&w->sample), .exec = w->sample.exec_id,
		.state = w->state, .syscall = w->syscall,
	};

	tprof_count(waits, key, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
