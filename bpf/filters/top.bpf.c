/* SPDX-License-Identifier: GPL-2.0-only */
/* top: CPU use by process and code address. The filter of `tprof top`. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by code address, process and cgroup.");

struct top_key {
	tprof_ip_t ip;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;	/* a user address is meaningful only together with the program image */
};

TPROF_TABLE(top, struct top_key, 16384);

TPROF_FILTER(top, s)
{
	struct top_key key = {
		.ip = s->ip,
		.cgroup = s->cgroup_id,
		.tgid = tprof_tgid_event(s),
		.exec = s->exec_id,
	};

	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(top, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
