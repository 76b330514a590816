/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Throttling: keeps the time that samples take on each CPU within a budget. Where they take more, the sources that cost
 * most sample with longer periods there, until the samples take clearly less. The weight of a sample is its period, so
 * weights stay right.
 */
#ifndef _TPROF_THROTTLE_H
#define _TPROF_THROTTLE_H

#include <linux/types.h>

struct tprof_source_cpu;

/* Module parameter cpu_time_max_percent: the budget, in percent of each CPU; 0 and 100: no limit. */
extern unsigned int tprof_cpu_time_max_percent;

/*
 * To be called for one delivery in TPROF_MEASURED_EVERY, at its end.
 * @took:     the time that it took, in tprof_clock(), as below
 * @overhead: part of it without the calls of filters
 * @now:      its end
 * On the CPU of the delivery, interrupts disabled, not in NMI.
 */
void tprof_throttle_measured(struct tprof_source_cpu *c, u64 took, u64 overhead, u64 now);

/* To be called when no source is left. */
void tprof_throttle_exit(void);

#endif
