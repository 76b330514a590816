/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The staging buffers: per-CPU queues for samples that were captured where filters must not run, in NMI or in task
 * context. An irq_work on the same CPU delivers them; those of the idle loop wait for the next idle state.
 */
#ifndef _TPROF_STAGE_H
#define _TPROF_STAGE_H

#include <linux/cpumask.h>

#include "sample.h"
#include "uapi/tprof_owner.h"

/* A sample in the buffer, followed by its kernel call stack. */
struct tprof_staged {
	u32 size;				/* bytes of the entry, a multiple of 8 */
	u32 kind;				/* TPROF_STAGED_* */
	struct tprof_source *source;
	struct tprof_capture capture;
	u64 frames[];
};

#define TPROF_STAGED_SAMPLE	0
#define TPROF_STAGED_FILLER	1		/* the entry fills the end of the buffer: it has only size and kind */
#define TPROF_STAGED_OWNED	2		/* a sample with an owner, in the last bytes of the entry */

/*
 * Reserves an entry for a sample with up to @nr_frames frames on this CPU, or TPROF_STAGE_OWNER more; NULL if the
 * buffer is full. Interrupts disabled, or NMI. The caller must call tprof_stage_commit() before it leaves this context.
 */
struct tprof_staged *tprof_stage_reserve(unsigned int nr_frames);
#define TPROF_STAGE_OWNER (sizeof(struct tprof_work_owner) / sizeof(u64))

static inline struct tprof_work_owner *tprof_stage_owner(struct tprof_staged *staged)
{
	return (void *)staged + staged->size - sizeof(struct tprof_work_owner);
}

void tprof_stage_commit(struct tprof_staged *staged);
/* Queues the irq_work although no sample was added, so that missed samples are counted. Context as above. */
void tprof_stage_kick(void);

/* Delivers the staged samples of this CPU. Interrupts disabled, not in NMI, not in a delivery. */
void tprof_stage_drain(void);
/* Delivers the staged samples of this CPU, which is going offline. Process context on that CPU. */
void tprof_stage_cpu_online(unsigned int cpu);
void tprof_stage_cpu_offline(unsigned int cpu);

/*
 * Waits until all deliveries that had begun on these CPUs have ended, and all samples that were staged there are
 * delivered. Interrupts these CPUs and no others. Process context.
 */
void tprof_quiesce(const struct cpumask *cpus);

/* The staging buffers are in use on a CPU, from get to put. Process context. Errors: ENOMEM. */
int tprof_stage_get(void);
void tprof_stage_put(void);

int tprof_stage_init(void);
void tprof_stage_exit(void);

#endif
