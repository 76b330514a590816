/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts wake-ups by the members of struct tprof_wakeup, and in the same table the waits that they end. */
#include <tprof/filter.bpf.h>

struct wake_key {
	struct tprof_comm comm;		/* of the woken thread */
	struct tprof_comm waker;
	tprof_state_t state;
	tprof_syscall_t syscall;
	__u32 waker_flags;
	__u32 tid;			/* of the woken thread */
	__u32 is_right;			/* what is always true of the members */
	tprof_event_t event;
};

TPROF_TABLE(wakes, struct wake_key, 4096);

TPROF_FILTER(wakes, s)
{
	return TPROF_DONE;
}

TPROF_OFFCPU(wakes, w)
{
	struct wake_key key = {
		.state = w->state, .syscall = w->syscall, .waker_flags = w->waker_flags, .tid = w->sample.tid,
		.is_right = 1, .event = w->sample.event,
	};

	if (!w->waker_flags)
		return TPROF_DONE;
	__builtin_memcpy(&key.comm, w->sample.comm, sizeof(key.comm));
	__builtin_memcpy(&key.waker, w->waker_comm, sizeof(key.waker));
	tprof_count(wakes, key, w->blocked_ns);
	return TPROF_DONE;
}

TPROF_WAKEUP(wakes, w)
{
	const struct tprof_sample *s = &w->sample;
	struct wake_key key = {
		.state = w->state, .syscall = w->syscall, .waker_flags = w->waker_flags, .tid = w->woken_tid,
		.event = s->event,
	};

	__builtin_memcpy(&key.comm, w->woken_comm, sizeof(key.comm));
	__builtin_memcpy(&key.waker, s->comm, sizeof(key.waker));
	key.is_right = s->flags & TPROF_SAMPLE_WAKEUP && !(s->flags & TPROF_SAMPLE_WAIT) &&
		       s->flags & TPROF_SAMPLE_KERNEL && s->data == w->woken_tid && s->addr == w->state &&
		       !(s->flags & TPROF_SAMPLE_IRQ) == (w->waker_flags != TPROF_WAKER_IRQ) &&
		       !(s->flags & TPROF_SAMPLE_SOFTIRQ) == (w->waker_flags != TPROF_WAKER_SOFTIRQ) &&
		       !s->tid == (w->waker_flags != TPROF_WAKER_THREAD) && w->woken_tgid && w->woken_exec_id;
	tprof_count(wakes, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
