/* SPDX-License-Identifier: GPL-2.0-only */
/* first: counts like top, and stores the time of samples, so that the time of the first is known. */
#include <tprof/filter.bpf.h>

struct top_key {
	tprof_ip_t ip;
	tprof_cgroup_t cgroup;
	tprof_tgid_t tgid;
	tprof_exec_t exec;
};

TPROF_TABLE(top, struct top_key, 16384);
TPROF_TABLE(times, __u64, 64);	/* may become full: only the first sample matters */

TPROF_FILTER(first, s)
{
	struct top_key key = {
		.ip = s->ip,
		.cgroup = s->cgroup_id,
		.tgid = s->tgid,
		.exec = s->exec_id,
	};
	__u64 time = s->time_ns;

	tprof_count(top, key, s->weight);
	tprof_count(times, time, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
