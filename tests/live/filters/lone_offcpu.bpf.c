// SPDX-License-Identifier: GPL-2.0-only
/* TPROF_OFFCPU() of a filter that is not there. */
#include <tprof/filter.bpf.h>

#pragma clang diagnostic ignored "-Wundefined-internal"

TPROF_TABLE(waits, tprof_tgid_t, 64);

TPROF_OFFCPU(alone, w)
{
	tprof_count(waits, w->sample.tgid, w->sample.weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
