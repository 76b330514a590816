/* SPDX-License-Identifier: GPL-2.0-only */
/* reasons: what each thread does, why it waits, and who wakes it. The filter of `tprof top --threads`. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts the time of each thread by state, system call and waker (-e off-cpu,on-cpu).");
TPROF_EVENT("off-cpu");

struct reason {
	struct tprof_comm comm;
	struct tprof_comm waker;
	tprof_tgid_event_t process;
	tprof_tid_t thread;
	tprof_state_t state;
	tprof_syscall_t syscall;
};

TPROF_TABLE(reasons, struct reason, 32768);

#define REASON(s, why) { .process = tprof_tgid_event(s), .thread = (s)->tid, .state = (why), .syscall = -1 }

TPROF_FILTER(reasons, s)
{
	struct reason key = REASON(s, TPROF_STATE_RUNNING);

	__builtin_memcpy(&key.comm, s->comm, sizeof(key.comm));
	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(reasons, key, s->weight);
	return TPROF_DONE;
}

TPROF_OFFCPU(reasons, w)
{
	struct reason key = REASON(&w->sample, w->blocked_ns ? TPROF_STATE_RUNNABLE : w->state);

	__builtin_memcpy(&key.comm, w->sample.comm, sizeof(key.comm));
	if (w->runnable_ns)
		tprof_count(reasons, key, w->runnable_ns);
	if (!w->blocked_ns)
		return TPROF_DONE;
	key.state = w->state;
	key.syscall = w->syscall;
	__builtin_memcpy(&key.waker, w->waker_comm, sizeof(key.waker));
	tprof_count(reasons, key, w->blocked_ns);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
