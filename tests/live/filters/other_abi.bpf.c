/* SPDX-License-Identifier: GPL-2.0-only */
/* An object of a newer ABI version. */
#include <tprof/types.bpf.h>
#include "uapi/tprof.h"

#undef TPROF_ABI_VERSION
#define TPROF_ABI_VERSION 4711

#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, __u64, 16);

TPROF_FILTER(other_abi, s)
{
	tprof_count(counts, s->ip, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
