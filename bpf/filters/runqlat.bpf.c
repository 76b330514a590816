/* SPDX-License-Identifier: GPL-2.0-only */
/* runqlat: how long threads were ready to run but had no CPU. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts times that threads were ready to run but had no CPU.");
TPROF_EVENT("off-cpu");

struct latency_key {
	tprof_log2_ns_t latency;
	tprof_event_t event;
};

TPROF_TABLE(latency, struct latency_key, 1024);

TPROF_FILTER(runqlat, s)
{
	struct latency_key key = { .latency = tprof_log2(s->data), .event = s->event };

	/* A wait in progress whose thread is not ready to run has no latency yet. */
	if (s->flags & TPROF_SAMPLE_WAIT && s->data)
		tprof_count(latency, key, s->data);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
