/* SPDX-License-Identifier: GPL-2.0-only */
/* An object of a tprof with another layout of tables. */
#include <tprof/types.bpf.h>
#include "tprof/object.h"

#undef TPROF_OBJECT_LAYOUT
#define TPROF_OBJECT_LAYOUT 4711

#include <tprof/filter.bpf.h>

TPROF_TABLE(counts, __u64, 16);

TPROF_FILTER(layout, s)
{
	tprof_count(counts, s->ip, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
