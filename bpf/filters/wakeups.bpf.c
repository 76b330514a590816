/* SPDX-License-Identifier: GPL-2.0-only */
/* wakeups: who ends the waits of whom. For the event off-cpu. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts the time that threads were blocked by who woke them, and where they waited.");
TPROF_EVENT("off-cpu");

struct wakeup {
	tprof_stack_t waits;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
	struct tprof_comm comm;
	struct tprof_comm waker;
};

TPROF_STACKS(stacks, 4096);
TPROF_TABLE(wakeups, struct wakeup, 8192);

TPROF_FILTER(wakeups, s)
{
	return TPROF_DONE;
}

TPROF_OFFCPU(wakeups, w)
{
	struct wakeup key = { .tgid = tprof_tgid_event(&w->sample), .exec = w->sample.exec_id };

	if (!w->waker_flags)
		return TPROF_DONE;
	key.waits = tprof_kernel_stack(stacks, &w->sample);
	__builtin_memcpy(&key.comm, w->sample.comm, sizeof(key.comm));
	__builtin_memcpy(&key.waker, w->waker_comm, sizeof(key.waker));
	tprof_count(wakeups, key, w->blocked_ns);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
