/* SPDX-License-Identifier: GPL-2.0-only */
/* The object has a sleepable program beside the filter. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, __u64, 16);

TPROF_FILTER(sleepable, s)
{
	tprof_count(counts, s->ip, s->weight);
	return TPROF_DONE;
}

SEC("struct_ops.s/sample")
int sleeps(void *ctx)
{
	(void)ctx;
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
