/* SPDX-License-Identifier: GPL-2.0-only */
/* raw: every single sample, with its call stack. The filter of `tprof record --raw`. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts each sample separately, with its time, CPU, thread and call stack.");

struct raw_sample {			/* unique: no two samples have the same key */
	tprof_ns_t time;
	tprof_stack_t kernel, user;
	tprof_ip_t ip;
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_tid_t tid;
	tprof_exec_t exec;
	tprof_cpu_t cpu;
	tprof_flags_t flags;
	struct tprof_comm thread;
	tprof_state_t state;
};

TPROF_STACKS(stacks, 4096);		/* 8.6 MiB, both generations */
TPROF_TABLE(raw, struct raw_sample, 32768);	/* 10 MiB: 20,000 samples a second on 16 CPUs, read every 50 ms */

TPROF_FILTER(raw, s)
{
	struct raw_sample key = { .time = s->time_ns, .ip = s->ip, .cgroup = s->cgroup_id, .tid = s->tid,
				  .tgid = tprof_tgid_event(s), .exec = s->exec_id, .cpu = s->cpu, .flags = s->flags,
				  .state = tprof_state(s) };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	__builtin_memcpy(key.thread.name, s->comm, sizeof(key.thread.name));
	key.kernel = tprof_kernel_stack(stacks, s);
	key.user = tprof_user_stack(stacks, s);
	tprof_count(raw, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
