/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where samples wait that were captured where filters must not run: in NMI, or in a task. One buffer for each CPU,
 * emptied by an irq_work of that CPU.
 */
#ifndef _TPROF_STAGE_H
#define _TPROF_STAGE_H

#include "sample.h"

/* One sample in the buffer, with its kernel stack behind it. */
struct tprof_staged {
	u32 size;				/* of all, a multiple of 8 */
	u32 filler;				/* nothing but these two words: the end of the buffer is left empty */
	struct tprof_source *source;
	struct tprof_capture capture;
	u64 frames[];
};

/*
 * Room for a sample with up to @nr_frames frames on this CPU; NULL if there is none. Interrupts off. To be given
 * back with tprof_stage_commit(), before any other code of this context runs.
 */
struct tprof_staged *tprof_stage_reserve(unsigned int nr_frames);
void tprof_stage_commit(struct tprof_staged *staged);
/* Has the buffer looked at even though nothing was put in. */
void tprof_stage_kick(void);

/* When it returns, all that had been committed on any CPU has been delivered. Process context. */
void tprof_stage_flush(void);
/* The same for this CPU. Interrupts off, and not in a delivery. */
void tprof_stage_drain(void);
/* Empties that of this CPU, which is going. Process context on that CPU. */
void tprof_stage_cpu_offline(unsigned int cpu);

/*
 * Waits until no delivery runs that began before, on any CPU, and all that was staged is delivered. Process context.
 */
void tprof_quiesce(void);

int tprof_stage_init(void);
void tprof_stage_exit(void);

#endif
