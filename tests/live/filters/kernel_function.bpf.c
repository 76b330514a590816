// SPDX-License-Identifier: GPL-2.0-only
/* The filter calls a function of the kernel. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(tasks, tprof_tgid_t, 64);

void bpf_rcu_read_lock(void) __ksym;
void bpf_rcu_read_unlock(void) __ksym;

TPROF_FILTER(function, s)
{
	bpf_rcu_read_lock();
	tprof_count(tasks, s->tgid, s->weight);
	bpf_rcu_read_unlock();
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
