// SPDX-License-Identifier: GPL-2.0-only
/* Each call takes some tenths of a millisecond. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(tasks, tprof_tgid_t, 64);

TPROF_FILTER(takes_long, s)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < 3000; i++)
		sum += bpf_ktime_get_ns();
	if (sum)
		tprof_count(tasks, s->tgid, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
