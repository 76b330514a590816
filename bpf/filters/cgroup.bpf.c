/* SPDX-License-Identifier: GPL-2.0-only */
/* cgroup: CPU use by cgroup: services, containers, login sessions. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by cgroup: services, containers, login sessions.");

TPROF_TABLE(cgroup, tprof_cgroup_t, 4096);

TPROF_FILTER(cgroup, s)
{
	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(cgroup, s->cgroup_id, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
