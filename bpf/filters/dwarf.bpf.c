/* SPDX-License-Identifier: GPL-2.0-only */
/* dwarf: call stacks of programs without frame pointers: user stacks are copied and unwound in user space. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts call stacks of programs without frame pointers: copies user stacks, to unwind them with DWARF.");

struct call {
	tprof_stack_t kernel;
	tprof_stack_t user;
	tprof_ip_t ip;			/* used where a stack could not be unwound */
	tprof_cgroup_t cgroup;
	tprof_tgid_event_t tgid;
	tprof_exec_t exec;
};

TPROF_STACKS(stacks, 2048);	/* kernel stacks; 4.3 MiB, both generations */
TPROF_COPIES(8192);
TPROF_TABLE(calls, struct call, 16384);	/* one entry for each sample */

TPROF_FILTER(dwarf, s)
{
	struct call key = { .ip = s->ip, .cgroup = s->cgroup_id, .tgid = tprof_tgid_event(s),
			    .exec = s->exec_id };

	if (s->flags & TPROF_SAMPLE_IDLE)
		return TPROF_DONE;
	key.kernel = tprof_kernel_stack(stacks, s);
	key.user = tprof_user_copy(s);
	tprof_count(calls, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
