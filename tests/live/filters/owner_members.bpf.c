/* SPDX-License-Identifier: GPL-2.0-only */
/* All members of owners, with the thread that worked. */
#include <tprof/filter.bpf.h>

struct owner_key {
	tprof_ip_t ip;
	__u64 cgroup;		/* 1: the owner has one */
	__u64 id;
	tprof_tgid_t tgid;
	__u32 owner_tgid;
	__u32 owner_tid;
	__u32 owner_exec;	/* 1: it has a program image */
	__u32 subsystem;
	__u32 known;		/* 1: the call has found an owner */
	struct tprof_comm comm;
	struct tprof_comm owner_comm;
};

TPROF_OWNERS(1024);
TPROF_TABLE(owned, struct owner_key, 16384);

static __always_inline void count(const struct tprof_sample *s, struct owner_key *key,
				  const struct tprof_work_owner *owner)
{
	key->ip = s->ip;
	key->tgid = s->tgid;
	__builtin_memcpy(&key->comm, s->comm, sizeof(key->comm));
	key->cgroup = owner->cgroup_id != 0;
	key->id = owner->id;
	key->owner_tgid = owner->tgid;
	key->owner_tid = owner->tid;
	key->owner_exec = owner->exec_id != 0;
	key->subsystem = owner->subsystem;
	__builtin_memcpy(&key->owner_comm, owner->comm, sizeof(key->owner_comm));
}

TPROF_FILTER(owner_all, s)
{
	struct owner_key key = {};
	struct tprof_work_owner owner;

	if (s->flags & (TPROF_SAMPLE_IDLE | TPROF_SAMPLE_USER))
		return TPROF_DONE;
	key.known = !tprof_work_owner(s, &owner);
	count(s, &key, &owner);
	tprof_count(owned, key, s->weight);
	return TPROF_DONE;
}

TPROF_OFFCPU(owner_all, w)
{
	struct owner_key key = {};
	struct tprof_work_owner owner;

	key.known = !tprof_work_owner(&w->sample, &owner);
	count(&w->sample, &key, &owner);
	tprof_count(owned, key, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
