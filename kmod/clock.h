/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock for the run time of filters: the cycle counter of the CPU (x86: TSC, arm64: architected timer), because it
 * is read for each filter of each sample and a read costs a few instructions. Only the difference of two values that
 * were read on the same CPU is meaningful.
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
