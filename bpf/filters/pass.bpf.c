/* SPDX-License-Identifier: GPL-2.0-only */
/* pass: keep every sample except those of idle CPUs. A starting point for filters that select samples. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts nothing: keeps every sample, except those of idle CPUs.");

TPROF_PARAM(int, idle, 0);	/* --set idle=1 also keeps the samples of idle CPUs */

TPROF_FILTER(pass, s)
{
	if (!idle && (s->flags & TPROF_SAMPLE_IDLE))
		return TPROF_DONE;
	return TPROF_KEEP;
}

TPROF_LICENSE("GPL");
