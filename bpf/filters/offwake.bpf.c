/* SPDX-License-Identifier: GPL-2.0-only */
/* offwake: where threads wait, and who ends that. The filter of `tprof record --wakeups`. For the event off-cpu. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts waits by call stack, and the call stack of the thread that ended each (--wakeups).");
TPROF_EVENT("off-cpu");
TPROF_LICENSE("GPL");
struct wait {
	tprof_stack_t kernel, user;
	tprof_waker_t wakers[TPROF_WAKERS_MAX];
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
};
TPROF_PARAM(__u32, nr_wakers, 1);
TPROF_STACKS(stacks, 8192);
TPROF_TABLE(waits, struct wait, 8192);
TPROF_WAKERS(stacks, nr_wakers);
#define PLACE(s) { .kernel = tprof_kernel_stack(stacks, s), .user = tprof_user_stack(stacks, s), \
		   .cgroup = (s)->cgroup_id, .tgid = tprof_tgid_event(s), .exec = (s)->exec_id }

TPROF_FILTER(offwake, s)
{
	if (!(s->flags & TPROF_SAMPLE_IDLE)) {
		struct wait key = PLACE(s);

		tprof_count(waits, key, s->weight);
	}
	return TPROF_DONE;
}

TPROF_OFFCPU(offwake, w)
{
	struct wait key = PLACE(&w->sample);

	tprof_wakers(key.wakers, w);
	tprof_count(waits, key, w->sample.weight);
	return TPROF_DONE;
}
