/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows the threads that wait, for the sources "off-cpu" and "wakeup". The source "on-cpu" shares the probes.
 *
 * A probe of sched_switch notes when, and in which state, a thread leaves its CPU, and takes that when the thread runs
 * again. A probe of sched_waking notes who ends the time in which it is blocked. Both run with locks of the scheduler
 * held, where no filter can run, so samples go through the staging buffer.
 *
 * Threads that wait when the source is prepared are inserted then. A thread that is neither on a CPU nor in the table
 * waits; if it runs in between, the probe inserts it first.
 */
#ifndef _TPROF_WAIT_FOLLOW_H
#define _TPROF_WAIT_FOLLOW_H

#include <linux/list.h>

#include "source.h"
#include "wait_sample.h"
#include "wait_table.h"

struct tprof_waits;

/*
 * How a source handles the waits of threads. The probes call these with interrupts disabled and locks of the scheduler
 * held, only on a CPU on which the source is started.
 *
 * @over:   the wait of the task is over: it is about to run. Optional
 * @woken:  the task is being woken for the first time since it was blocked. Optional
 * @missed: a thread begins to wait that is not followed, because it is out of scope, or the table is full. @blocked: it
 *          is not ready to run
 */
struct tprof_waits_ops {
	void (*over)(struct tprof_waits *waits, struct tprof_waited *waited);
	void (*woken)(struct tprof_waits *waits, struct tprof_waited *waited);
	void (*missed)(struct tprof_waits *waits, enum tprof_missed_reason reason, bool blocked);
};

/* The waits of a source, while it is prepared. */
struct tprof_waits {
	struct list_head list;			/* all of them; R */
	const struct tprof_waits_ops *ops;	/* I */
	struct tprof_source *source;		/* I */
	struct tprof_wait_table *table;		/* I */
	struct tprof_waiter *waiter;		/* S: of a wait in progress */
	bool seeding;				/* threads that run are inserted, too */
};

/* Per-CPU memory of such a source. */
struct tprof_wait_cpu {
	struct tprof_waits *waits;		/* I: on the first possible CPU: while it is prepared */
	bool running;				/* c */
	u64 threshold;				/* c: shorter waits are added up; 0: each wait is a sample */
	u64 rest;				/* c: time that no sample has represented yet */
};

/*
 * The weight of a sample of @length ns, or 0 if there is none: short ones are added up where samples take too much of
 * the time of the CPU. Interrupts disabled.
 */
static inline u64 tprof_wait_weight(struct tprof_wait_cpu *c, u64 length)
{
	c->rest += length;
	if (c->rest < c->threshold)
		return 0;
	length = c->rest;
	c->rest = 0;
	return length;
}

struct tprof_waits *tprof_waits_of(const struct tprof_source *source);
/* Is the source started on this CPU? */
bool tprof_waits_run_here(const struct tprof_waits *waits);
/*
 * Sets the weight of a wait that ends now, or of a part of it, and tells whether it is a sample. Shorter ones than the
 * minimum are only counted. Interrupts disabled.
 */
bool tprof_waits_measure(struct tprof_waits *waits, struct tprof_waited *waited);

/* The probes are registered, from one to the other. Process context. Errors: ENOMEM. */
int tprof_waits_probe(void);
void tprof_waits_unprobe(void);
/* Tests whether a source observes threads, so that it costs something at each context switch. */
bool tprof_waits_are_of(const struct tprof_source_ops *ops);

/* Parts of struct tprof_source_ops. */
int tprof_waits_prepare(struct tprof_source *source, const struct tprof_waits_ops *ops);
void tprof_waits_unprepare(struct tprof_source *source);
int tprof_waits_set_period(struct tprof_source *source, unsigned int cpu, u64 period);
void tprof_waits_stop(struct tprof_source *source, unsigned int cpu);
void tprof_waits_offline(struct tprof_source *source, unsigned int cpu);
u64 tprof_waits_settle(struct tprof_source *source);

int tprof_waits_init(void);
void tprof_waits_exit(void);

#endif
