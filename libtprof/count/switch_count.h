/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Counting per process, thread or cgroup with one counter for each event and CPU. A BPF program reads the counters of
 * its CPU at each context switch, and adds what was counted since the last switch to the unit of the task that leaves
 * the CPU. The sum over all units is what the counters have counted, and the cost does not depend on the number of
 * units.
 */
#ifndef TPROF_SWITCH_COUNT_H
#define TPROF_SWITCH_COUNT_H

#include "counters.h"

/* Which tasks are counted. */
enum switch_scope {
	SWITCH_ALL,
	SWITCH_TREE,		/* processes and their descendants */
	SWITCH_CGROUPS,		/* cgroups with their subtrees */
};

/* Creates the table and loads the programs. The opts are checked. Sets the sentence. */
int switch_count_open(struct tprof_counters *counters, const struct tprof_counters_opts *opts,
		      struct tprof_error *error);
void switch_count_close(struct switch_count *count);

/* Adds the open events of the slot, instead of earlier ones. Errors: ENODEV: its CPU is offline. Sets the sentence. */
int switch_count_add_cpu(struct tprof_counters *counters, struct count_slot *slot, struct tprof_error *error);

/* To be called before the events are enabled, and after they are disabled and read. */
int switch_count_attach(struct tprof_counters *counters, struct tprof_error *error);
void switch_count_detach(struct tprof_counters *counters);

/* Adds what has been counted since the last switch on each CPU, and updates the units. */
int switch_count_read(struct tprof_counters *counters, struct tprof_error *error);

#endif
