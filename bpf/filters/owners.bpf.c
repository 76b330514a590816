/* SPDX-License-Identifier: GPL-2.0-only */
/* owners: CPU use by code address, and by the process for which the kernel worked. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by code address, process, and the process for which it was done.");

struct owned_key {
	tprof_ip_t ip;
	tprof_tgid_t tgid;
	tprof_exec_t exec;	/* a user address is meaningful only together with the program image */
	tprof_tgid_t owner;	/* the process itself, if it works for no other */
	tprof_event_t event;
};

TPROF_OWNERS(4096);
TPROF_TABLE(owners, struct owned_key, 16384);

TPROF_FILTER(owners, s)
{
	struct owned_key key = {
		.ip = s->ip,
		.tgid = s->tgid,
		.exec = s->exec_id,
		.owner = s->tgid,
		.event = s->event,
	};
	struct tprof_work_owner owner;

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	if (tprof_work_owner(s, &owner) == 0 && owner.tgid)
		key.owner = owner.tgid;
	tprof_count(owners, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
