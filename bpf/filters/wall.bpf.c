/* SPDX-License-Identifier: GPL-2.0-only */
/* wall: all of the time of threads, by their name: running, ready to run, blocked. For --wall or -e on-cpu,off-cpu. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts the time of threads by name: running, ready to run, blocked (--wall).");
TPROF_EVENT("off-cpu");

enum spent { running, ready, blocked, wakeup };	/* wakeup: in which the threads that it woke were blocked */
struct wall_key {
	struct tprof_comm thread;
	enum spent time;
	tprof_event_t event;
};
TPROF_TABLE(wall, struct wall_key, 16384);

TPROF_FILTER(wall, s)
{
	struct wall_key key = { .time = s->flags & TPROF_SAMPLE_WAKEUP ? wakeup : running, .event = s->event };

	__builtin_memcpy(&key.thread, s->comm, sizeof(key.thread));
	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(wall, key, s->weight);
	return TPROF_DONE;
}

TPROF_OFFCPU(wall, w)
{
	struct wall_key key = { .time = ready, .event = w->sample.event };

	__builtin_memcpy(&key.thread, w->sample.comm, sizeof(key.thread));
	if (w->runnable_ns)
		tprof_count(wall, key, w->runnable_ns);
	key.time = blocked;
	if (w->blocked_ns)
		tprof_count(wall, key, w->blocked_ns);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
