/* SPDX-License-Identifier: GPL-2.0-only */
/* reasons: what each thread does, why it waits, and who wakes it. The filter of `tprof top --threads`. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts the time of each thread by state, system call and waker (-e off-cpu,on-cpu).");
TPROF_EVENT("off-cpu");
TPROF_LICENSE("GPL");
struct reason {
	struct tprof_comm comm;
	tprof_tgid_event_t process;
	tprof_tid_t thread;
	tprof_state_t state;
	tprof_syscall_t syscall;
	struct tprof_comm waker;
};
TPROF_TABLE(reasons, struct reason, 32768);
#define COMM(name) (*(const struct tprof_comm *)(name))
#define REASON(s, ...) { COMM((s)->comm), tprof_tgid_event(s), (s)->tid, __VA_ARGS__ }

TPROF_FILTER(reasons, s)
{
	struct reason key = REASON(s, tprof_sample_state(s), -1);

	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(reasons, key, s->weight);
	return TPROF_DONE;
}

TPROF_OFFCPU(reasons, w)
{
	struct reason ready = REASON(&w->sample, w->blocked_ns ? TPROF_STATE_RUNNABLE : w->state, -1);
	struct reason why = REASON(&w->sample, w->state, w->syscall, COMM(w->waker_comm));

	if (w->runnable_ns)
		tprof_count(reasons, ready, w->runnable_ns);
	if (w->blocked_ns)
		tprof_count(reasons, why, w->blocked_ns);
	return TPROF_DONE;
}
