/* SPDX-License-Identifier: GPL-2.0-only */
/* comm: CPU use by thread name. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by thread name.");

struct comm_key {
	struct tprof_comm thread;
	tprof_event_t event;
};

TPROF_TABLE(comm, struct comm_key, 4096);

TPROF_FILTER(comm, s)
{
	struct comm_key key = { .event = s->event };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	__builtin_memcpy(key.thread.name, s->comm, sizeof(key.thread.name));
	tprof_count(comm, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
