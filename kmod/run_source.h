/* SPDX-License-Identifier: GPL-2.0-only */
/* The source "on-cpu": the runs of threads. */
#ifndef _TPROF_RUN_SOURCE_H
#define _TPROF_RUN_SOURCE_H

#include <linux/list.h>

#include "tprof_source.h"

struct task_struct;

extern const struct tprof_source_ops tprof_source_run;

/* Those that are prepared: R */
extern struct list_head tprof_runs;

/*
 * Part of the probe of sched_switch: the run of @prev is over, and that of @next begins, with the same reading of the
 * clock as their waits. To be called if there are runs. Interrupts disabled, the run queue locked; current is @prev.
 */
void tprof_runs_switch(struct task_struct *prev, struct task_struct *next, u64 now);

#endif
