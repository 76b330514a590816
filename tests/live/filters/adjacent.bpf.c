/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * adjacent: keys with members of samples and waits that lie side by side, where the compiler merges their reads.
 */
#include <tprof/filter.bpf.h>

struct sample_key {
	tprof_tgid_t tgid;
	tprof_tid_t tid;
	tprof_cpu_t cpu;
	tprof_flags_t flags;
	__u64 addr;
	__u64 data;
};

struct wait_key {
	tprof_tgid_t tgid;
	tprof_tid_t tid;
	tprof_state_t state;
	tprof_syscall_t syscall;
	tprof_tgid_t waker_tgid;
	tprof_tid_t waker_tid;
	char waker[16];
};

TPROF_TABLE(samples, struct sample_key, 4096);
TPROF_TABLE(waits, struct wait_key, 4096);

TPROF_FILTER(adjacent, s)
{
	struct sample_key key = { .tgid = s->tgid, .tid = s->tid, .cpu = s->cpu, .flags = s->flags, .addr = s->addr,
				  .data = s->data };

	tprof_count(samples, key, s->weight);
	return TPROF_DONE;
}

TPROF_OFFCPU(adjacent, w)
{
	struct wait_key key = { .tgid = w->sample.tgid, .tid = w->sample.tid, .state = w->state,
				.syscall = w->syscall, .waker_tgid = w->waker_tgid, .waker_tid = w->waker_tid };

	__builtin_memcpy(key.waker, w->waker_comm, sizeof(key.waker));
	tprof_count(waits, key, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
