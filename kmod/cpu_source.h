/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source on its CPUs. With the sources mutex held, except for the callbacks of CPU hotplug, which see a source
 * between tprof_source_link() and tprof_source_unlink().
 */
#ifndef _TPROF_CPU_SOURCE_H
#define _TPROF_CPU_SOURCE_H

#include "source.h"

void tprof_source_link(struct tprof_source *source);
void tprof_source_unlink(struct tprof_source *source);

/* Reads the counter of a CPU, including the counts before the source was last started there. */
void tprof_source_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count);
/*
 * Starts the source on the CPUs on which a subscription needs it and that have its event, and stops it on all others.
 * Returns the error of the first CPU on which it cannot be started; the other CPUs are updated all the same.
 */
int tprof_source_update_cpus(struct tprof_source *source);
/* To be called when the shortest period may have changed. Errors as above. */
int tprof_source_update_period(struct tprof_source *source);

#define TPROF_MAX_PERIOD_FACTOR	4096U
/*
 * Makes the period on a CPU @factor times as long, which is its floor from now on: when users join, leave or change
 * their periods, the factor follows. Keeps the one before if the source does not support it.
 */
void tprof_source_set_factor(struct tprof_source *source, unsigned int cpu, u32 factor);
/* Makes the period on a CPU at least @floor, in units of the event. */
void tprof_source_raise_floor(struct tprof_source *source, unsigned int cpu, u64 floor);
/* To be called when a subscription has joined, or was cleared: its period_factor becomes what it is at least. */
void tprof_source_note_factors(struct tprof_source *source);
/*
 * On this CPU, makes the source fire for weight that has accumulated. Returns the part of the next sample's weight that
 * has already elapsed. Interrupts disabled.
 */
u64 tprof_source_settle_here(struct tprof_source *source);
/*
 * Makes the source fire for weight that has accumulated on each of these CPUs. Waits for an interrupt that is late, at
 * most SETTLE_TRIES times. Process context.
 */
void tprof_source_settle(struct tprof_source *source, const struct cpumask *cpus);
/* Takes the CPUs on which the source does not run from source->cpus. To be called after their tprof_quiesce(). */
void tprof_source_forget_cpus(struct tprof_source *source);

/* CPU hotplug callbacks. Process context, on that CPU. */
int tprof_sources_cpu_online(unsigned int cpu);
void tprof_sources_cpu_offline(unsigned int cpu);
/* Waits for the work of the callbacks. To be called after the callbacks are removed. */
void tprof_sources_settle(void);

#endif
