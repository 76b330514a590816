// SPDX-License-Identifier: GPL-2.0-only
/* TPROF_WAKEUP() of a filter that is not there. */
#include <tprof/filter.bpf.h>

TPROF_TABLE(woken, tprof_tgid_t, 64);

TPROF_FILTER(other, s)
{
	return TPROF_DONE;
}

TPROF_WAKEUP(alone, w)
{
	tprof_count(woken, w->woken_tgid, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
