/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The BPF programs that count at context switches; assembled here, because they depend on the events and the scope. */
#ifndef TPROF_SWITCH_PROGRAM_H
#define TPROF_SWITCH_PROGRAM_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof_count.h"

/* The values of one event, as the helper bpf_perf_event_read_value() returns them. */
struct switch_reading {
	uint64_t raw, enabled_ns, running_ns;
};

/* A value of the table of units; the key is a 64-bit number. */
struct switch_value {
	char comm[16];
	uint32_t tgid, tid;
	struct switch_reading readings[];	/* one for each event */
};

struct switch_plan {
	enum tprof_counter_per per;
	size_t nr_events;
	bool *counted;			/* by event: it is open */
	bool *is_switches;		/* by event: it counts the context switches themselves */
	uint32_t nr_cpus;		/* counter of event E on CPU C: element E * nr_cpus + C */
	int counters_fd;		/* perf event array */
	int last_fd;			/* array by CPU: readings at the last switch */
	int delta_fd;			/* per-CPU array with one element: readings, for the programs only */
	int empty_fd;			/* array with one element: a struct switch_value of zeros */
	int others_fd;			/* array with one element: units for which the table is full */
	int units_fd;			/* hash */
	bool has_tree, has_cgroups;	/* the scope; both false: everything */
	int scope_fd;			/* hash: processes, or cgroups, in scope */
	const uint32_t *levels;		/* levels of the cgroups in scope, ascending */
	size_t nr_levels;
	uint32_t task_tgid, task_pid;	/* offsets of members in struct task_struct */
	uint32_t exec_tgid;		/* process that comes into scope at exec */
};

enum switch_kind {
	SWITCH_PROGRAM,			/* at a context switch */
	SWITCH_FLUSH,			/* the same between switches, run by the reader on each CPU */
	SWITCH_FORK,			/* a child of a process in scope comes into scope */
	SWITCH_FREE,			/* a process that is gone leaves the scope */
	SWITCH_EXEC,			/* the process that is to be counted from exec on comes into scope */
};

/* Returns instructions that the caller frees, or NULL if memory is exhausted. */
struct bpf_insn *switch_program(const struct switch_plan *plan, enum switch_kind kind, size_t *nr);

#endif
