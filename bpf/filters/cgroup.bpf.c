/* SPDX-License-Identifier: GPL-2.0-only */
/* cgroup: CPU use by cgroup: services, containers, login sessions. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by cgroup: services, containers, login sessions.");

struct cgroup_key {
	tprof_cgroup_t cgroup;
	tprof_event_t event;
} __attribute__((packed, aligned(4)));	/* without padding, which would be part of the key */

TPROF_TABLE(cgroup, struct cgroup_key, 4096);

TPROF_FILTER(cgroup, s)
{
	struct cgroup_key key = { .cgroup = s->cgroup_id, .event = s->event };

	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(cgroup, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
