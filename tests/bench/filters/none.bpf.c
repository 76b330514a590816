/* SPDX-License-Identifier: GPL-2.0-only */
/* none: an empty filter, to measure the cost of calling a filter. */
#include <tprof/filter.bpf.h>

TPROF_FILTER(none, s)
{
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
