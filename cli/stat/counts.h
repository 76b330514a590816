/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of `tprof stat`: a row for each unit, with a value for each event. */
#ifndef TPROF_COUNTS_H
#define TPROF_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tprof.h"

struct count {
	enum tprof_counter_state state;
	double value;			/* estimated if running_ns < enabled_ns */
	uint64_t raw, enabled_ns, running_ns;
};

struct counts_event {
	char *name;
	char *unit;
	size_t group;			/* index of the first event of its group */
};

struct counts_row {
	char *name;
	int cpu;			/* -1: all */
	pid_t pid, tid;			/* -1: none in particular */
	bool ended;
	struct count *counts;		/* one for each event */
};

struct counts {
	struct counts_event *events;
	size_t nr_events;
	struct counts_row *rows;
	size_t nr_rows;
	double start_s;			/* since the start of counting: 0, except with intervals */
	double elapsed_s;
	double user_s, system_s;	/* of the command and its children; -1: no command */
	bool has_idle;			/* clocks also count while CPUs are idle */
};

/* Copies the values as of the last tprof_counters__read(). 0 or -ENOMEM. */
int counts_take(struct counts *counts, const struct tprof_counters *counters);
void counts_fini(struct counts *counts);

/* Reduces all values to what was counted since @before, whose rows are the first of the same ones. */
void counts_subtract(struct counts *counts, const struct counts *before);

/* Sorts the rows, the largest value of the first event first. */
void counts_sort(struct counts *counts);

/* The value of an event in a row; NULL: it is not counted. */
const struct count *counts_find(const struct counts *counts, const struct counts_row *row, const char *event);

/* The share of the time in which the event was counted, 0 to 1. */
double count_share(const struct count *count);

#endif
