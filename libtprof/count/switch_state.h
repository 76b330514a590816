/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* State of counting at context switches: the table in the kernel, and the units that were found in it. */
#ifndef TPROF_SWITCH_STATE_H
#define TPROF_SWITCH_STATE_H

#include "counters.h"
#include "switch_program.h"

struct switch_count {
	struct switch_plan plan;
	uint32_t *levels;
	size_t value_bytes;		/* of the table */
	struct switch_value *value;	/* a buffer of this size */
	int switch_fd, flush_fd, fork_fd, free_fd, exec_fd;	/* programs */
	int switch_link, fork_link, free_link, exec_link;
	struct hash units;		/* by key; struct count_unit */
	struct count_unit *others;	/* NULL: none so far */
	struct cgroups *cgroups;	/* NULL: not used so far */
};

struct switch_count *switch_state_new(void);
/* Adds a unit under a key of the table. Errors: ENOMEM. */
int switch_state_add_unit(struct tprof_counters *counters, struct switch_count *count, uint64_t key,
			  const struct tprof_counter_unit *shown);
/*
 * Adds the units that exist from the start: the total, the CPUs, the processes of the options, or their threads.
 * Errors: ENOMEM, those of reading /proc.
 */
int switch_state_add_first(struct tprof_counters *counters, struct switch_count *count);
/*
 * Adds what has been counted on the CPU since its last switch; a program that was running there has ended then. Errors:
 * ENODEV: the CPU is offline; those of running a program.
 */
int switch_state_flush_cpu(const struct tprof_counters *counters, int cpu);
/* switch_threads.c: the threads of the processes of the options, and of their descendants. */
int switch_state_add_threads(struct tprof_counters *counters, struct switch_count *count);

#endif
