/* SPDX-License-Identifier: GPL-2.0-only */
/* fresh: like `top`, but each sample has a key of its own, so that each is inserted into the table. */
#include <tprof/filter.bpf.h>

struct fresh_key {
	tprof_ip_t ip;
	tprof_cgroup_t cgroup;
	tprof_tgid_t tgid;
	tprof_exec_t exec;
};

TPROF_TABLE(fresh, struct fresh_key, 65536);

static __u64 next;

TPROF_FILTER(fresh, s)
{
	struct fresh_key key = {
		.ip = s->ip + next++,
		.cgroup = s->cgroup_id,
		.tgid = s->tgid,
		.exec = s->exec_id,
	};

	if (!(s->flags & TPROF_SAMPLE_IDLE))
		tprof_count(fresh, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
