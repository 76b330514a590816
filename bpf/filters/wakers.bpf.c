/* SPDX-License-Identifier: GPL-2.0-only */
/* wakers: who wakes whom, and where in its code. For the event wakeup. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts the time that threads were blocked by the call stack that woke them.");
TPROF_EVENT("wakeup");

struct waker {
	tprof_stack_t kernel;
	tprof_stack_t user;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
	struct tprof_comm comm;
	struct tprof_comm woken;
};

TPROF_STACKS(stacks, 4096);
TPROF_TABLE(wakers, struct waker, 8192);

TPROF_FILTER(wakers, s)
{
	return TPROF_DONE;
}

TPROF_WAKEUP(wakers, w)
{
	struct waker key = {
		.kernel = tprof_kernel_stack(stacks, &w->sample), .user = tprof_user_stack(stacks, &w->sample),
		.tgid = tprof_tgid_event(&w->sample), .exec = w->sample.exec_id,
	};

	__builtin_memcpy(&key.comm, w->sample.comm, sizeof(key.comm));
	__builtin_memcpy(&key.woken, w->woken_comm, sizeof(key.woken));
	tprof_count(wakers, key, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
