/* SPDX-License-Identifier: GPL-2.0-only */
/* owners: CPU use by code address and the process for which the kernel worked. The filter of `tprof top --by owner`. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by code address, process, and the process for which it was done (--by owner).");

struct owned_key {
	tprof_ip_t ip;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;	/* a user address is meaningful only together with the program image */
	tprof_owner_t owner;	/* the process itself, if it works for no other */
	tprof_owner_exec_t owner_exec;
};

TPROF_OWNERS(4096);
TPROF_TABLE(owners, struct owned_key, 16384);

TPROF_FILTER(owners, s)
{
	struct owned_key key = {
		.ip = s->ip, .cgroup = s->cgroup_id, .tgid = tprof_tgid_event(s), .exec = s->exec_id,
	};

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	tprof_owner_or_self(s, &key.owner, &key.owner_exec);
	tprof_count(owners, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
