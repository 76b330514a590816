/* SPDX-License-Identifier: GPL-2.0-only */
/* offwake: where threads wait, and who ends that. The filter of `tprof record --wakeups`. For the event off-cpu. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts waits by call stack, and the call stack of the thread that ended each (--wakeups).");
TPROF_EVENT("off-cpu");

struct wait {
	tprof_stack_t kernel;
	tprof_stack_t user;
	tprof_waker_t wakers[TPROF_WAKERS_MAX];
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
};

TPROF_PARAM(__u32, nr_wakers, 1);
TPROF_STACKS(stacks, 8192);
TPROF_TABLE(waits, struct wait, 8192);
TPROF_WAKERS(stacks, nr_wakers);

TPROF_FILTER(offwake, s)
{
	struct wait key = { .cgroup = s->cgroup_id, .tgid = tprof_tgid_event(s), .exec = s->exec_id };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	key.kernel = tprof_kernel_stack(stacks, s);
	key.user = tprof_user_stack(stacks, s);
	tprof_count(waits, key, s->weight);
	return TPROF_DONE;
}

TPROF_OFFCPU(offwake, w)
{
	struct wait key = { .cgroup = w->sample.cgroup_id, .tgid = tprof_tgid_event(&w->sample),
			    .exec = w->sample.exec_id };

	key.kernel = tprof_kernel_stack(stacks, &w->sample);
	key.user = tprof_user_stack(stacks, &w->sample);
	tprof_wakers(key.wakers, w);
	tprof_count(waits, key, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
