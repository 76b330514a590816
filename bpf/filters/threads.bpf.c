/* SPDX-License-Identifier: GPL-2.0-only */
/* threads: what each thread does all the time: it runs, is ready to run, or waits. For --wall or -e off-cpu,on-cpu. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts the time of each thread by state (--wall): running, runnable, sleeping, ...");
TPROF_EVENT("off-cpu");

struct thread {
	tprof_tgid_event_t process;
	tprof_tid_t thread;
	tprof_state_t state;
};

TPROF_TABLE(threads, struct thread, 16384);

TPROF_FILTER(threads, s)
{
	struct thread key = { tprof_tgid_event(s), s->tid, tprof_sample_state(s) };

	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(threads, key, s->weight);
	return TPROF_DONE;
}

/* A thread that was blocked is ready to run before it runs. */
TPROF_OFFCPU(threads, w)
{
	struct thread key = { tprof_tgid_event(&w->sample), w->sample.tid, w->state };

	if (w->blocked_ns) {
		tprof_count(threads, key, w->blocked_ns);
		key.state = TPROF_STATE_RUNNABLE;
	}
	if (w->runnable_ns)
		tprof_count(threads, key, w->runnable_ns);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
