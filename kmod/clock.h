/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock that filters are timed with: the CPU's own counter, because reading it costs a few instructions and it is
 * read for each filter of each sample. Differences on one CPU mean something, nothing else does.
 */
#ifndef _TPROF_CLOCK_H
#define _TPROF_CLOCK_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/timex.h>

#if defined(CONFIG_X86_64)
#include <asm/tsc.h>

static inline u64 tprof_clock_hz(void)
{
	return (u64)tsc_khz * 1000;
}
#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>

static inline u64 tprof_clock_hz(void)
{
	return arch_timer_get_cntfrq();
}
#endif

static inline u64 tprof_clock(void)
{
	return get_cycles();
}

static inline u64 tprof_clock_ns(u64 cycles)
{
	u64 hz = tprof_clock_hz();

	return hz ? mul_u64_u64_div_u64(cycles, NSEC_PER_SEC, hz) : 0;
}

#endif
