/* SPDX-License-Identifier: GPL-2.0-only */
/* none: looks at nothing. What is left is the cost of calling a filter. */
#include <tprof/filter.bpf.h>

TPROF_FILTER(none, s)
{
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
