/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts blocked threads by waker, with both call stacks, whose walk takes long as the thread leaves the CPU. */
#include <tprof/filter.bpf.h>

struct waker {
	tprof_stack_t kernel;
	tprof_stack_t user;
	struct tprof_comm comm;
	struct tprof_comm waker;
};

TPROF_STACKS(stacks, 4096);
TPROF_TABLE(wakers, struct waker, 4096);

TPROF_FILTER(wakers, s)
{
	return TPROF_DONE;
}

TPROF_OFFCPU(wakers, w)
{
	const struct tprof_sample *s = &w->sample;
	struct waker key = {};

	if (w->state != TPROF_STATE_SLEEPING)
		return TPROF_DONE;
	key.kernel = tprof_kernel_stack(stacks, s);
	key.user = tprof_user_stack(stacks, s);
	__builtin_memcpy(&key.comm, s->comm, sizeof(key.comm));
	__builtin_memcpy(&key.waker, w->waker_comm, sizeof(key.waker));
	tprof_count(wakers, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
