/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts both parts of each wait by the members of struct tprof_wait. */
#include <tprof/filter.bpf.h>

struct wait_key {
	struct tprof_comm comm;
	struct tprof_comm waker;
	tprof_state_t state;
	tprof_syscall_t syscall;
	__u32 waker_flags;
	__u32 is_right;			/* what is always true of the members */
	__u32 pad;
	__u32 runnable;			/* the part in which the thread was ready to run */
};

TPROF_TABLE(waits, struct wait_key, 4096);

TPROF_FILTER(waits, s)
{
	return TPROF_DONE;
}

TPROF_OFFCPU(waits, w)
{
	struct wait_key key = { .state = w->state, .syscall = w->syscall, .waker_flags = w->waker_flags };
	const struct tprof_sample *s = &w->sample;

	__builtin_memcpy(&key.comm, s->comm, sizeof(key.comm));
	__builtin_memcpy(&key.waker, w->waker_comm, sizeof(key.waker));
	key.is_right = s->flags & TPROF_SAMPLE_WAIT && w->blocked_ns + w->runnable_ns == s->weight &&
		       s->data == w->runnable_ns && !w->pad && w->from_cpu < 4096 &&
		       !w->waker_tid == (w->waker_flags != TPROF_WAKER_THREAD) && !w->waker_tgid == !w->waker_tid;
	if (w->blocked_ns)
		tprof_count(waits, key, w->blocked_ns);
	key.runnable = 1;
	if (w->runnable_ns)
		tprof_count(waits, key, w->runnable_ns);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
