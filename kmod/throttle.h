/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Throttling: keeps the time that samples take on each CPU within a budget. Where they take more, the sources that cost
 * most sample with longer periods there, until the samples take clearly less. The weight of a sample is its period, so
 * weights stay right.
 */
#ifndef _TPROF_THROTTLE_H
#define _TPROF_THROTTLE_H

#include <linux/types.h>

struct tprof_source;
struct tprof_source_cpu;

/* Module parameter cpu_time_max_percent: the budget, in percent of each CPU; 0 and 100: no limit. */
extern unsigned int tprof_cpu_time_max_percent;

/*
 * To be called for some deliveries, at the end @now. @overhead: the time that it took without the calls of filters, in
 * tprof_clock(), as @now. On the CPU of the delivery, interrupts disabled, not in NMI.
 */
void tprof_throttle_measured(struct tprof_source_cpu *c, u64 overhead, u64 now);

/* To be called when a filter has spent some time, in tprof_clock(), on samples of @source. Context as above. */
void tprof_throttle_spent(struct tprof_source *source, u64 spent, u64 now);

/* To be called when a source got a longer period back on this CPU (factors.h). Process context. */
void tprof_throttle_restored(unsigned int cpu);

/* To be called when no source is left. */
void tprof_throttle_exit(void);

#endif
