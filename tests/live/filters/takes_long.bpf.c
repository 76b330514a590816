// SPDX-License-Identifier: GPL-2.0-only
/* Each call takes some tenths of a millisecond. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(tasks, tprof_tgid_t, 64);

static long read_clock(__u32 index, void *sum)
{
	(void)index;
	*(__u64 *)sum += bpf_ktime_get_ns();
	return 0;
}

TPROF_FILTER(takes_long, s)
{
	__u64 sum = 0;

	bpf_loop(3000, read_clock, &sum, 0);
	if (sum)
		tprof_count(tasks, s->tgid, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
