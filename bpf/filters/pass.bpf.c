/* SPDX-License-Identifier: GPL-2.0-only */
/* pass: keep every sample as it is, but for those of idle CPUs. A filter to start from. */
#include <tprof/filter.bpf.h>

TPROF_PARAM(int, idle, 0);	/* --set idle=1 keeps the samples of idle CPUs too */

TPROF_FILTER(pass, s)
{
	if (!idle && (s->flags & TPROF_SAMPLE_IDLE))
		return TPROF_DONE;
	return TPROF_KEEP;
}

TPROF_LICENSE("GPL");
