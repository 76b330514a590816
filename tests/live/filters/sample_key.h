/* SPDX-License-Identifier: GPL-2.0-only */
/* A key with all members of the sample, or with a check of those that differ from sample to sample. */
#include <tprof/filter.bpf.h>

struct sample_key {
	tprof_cgroup_t cgroup;
	__u64 weight;
	__u64 data;
	__u64 event;
	tprof_tgid_t tgid;
	tprof_tid_t tid;
	__u32 ns_tgid;
	__u32 ns_tid;
	__u32 exec_page;
	tprof_flags_t flags;
	__u32 time_is_now;
	__u32 cpu_is_this;
	__u32 has_ip;
	__u32 has_addr;
	struct tprof_comm comm;
};

#define SECOND_NS 1000000000ULL

static __always_inline void sample_key(struct sample_key *key, const struct tprof_sample *s)
{
	*key = (struct sample_key){
		.cgroup = s->cgroup_id,
		.weight = s->weight,
		.data = s->data,
		.event = s->event,
		.tgid = s->tgid,
		.tid = s->tid,
		.ns_tgid = s->ns_tgid,
		.ns_tid = s->ns_tid,
		.exec_page = s->exec_id,
		.flags = s->flags & ~(TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_USER),
		.time_is_now = bpf_ktime_get_ns() - s->time_ns < SECOND_NS,
		.cpu_is_this = bpf_get_smp_processor_id() == s->cpu,
		/* The mode of the sample agrees with the half of the address space. */
		.has_ip = s->ip && (s->ip >> 63) == !(s->flags & TPROF_SAMPLE_USER),
		.has_addr = s->addr != 0,
	};
	__builtin_memcpy(key->comm.name, s->comm, sizeof(key->comm.name));
}
