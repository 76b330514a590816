/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that follow from several events: CPUs used, GHz, instructions per cycle, rates, shares of misses, misses per
 * thousand instructions.
 */
#ifndef TPROF_DERIVED_H
#define TPROF_DERIVED_H

#include "counts.h"

/* Of one event. */
#define DERIVED_MAX 2

struct derived {
	const char *name;	/* as in JSON */
	double value;
	char text[64];		/* for people: "1.25 instructions per cycle" */
};

/* Returns how many numbers are known about the event; values that were not counted have none. */
size_t derived_of(const struct counts *counts, const struct counts_row *row, size_t event,
		  struct derived derived[DERIVED_MAX]);

/* A ratio of two events. */
struct derived_ratio {
	const char *name;	/* as in JSON */
	const char *unit;	/* for people, after the value: "% of branches" */
	size_t of, by;		/* indices of events */
	double factor;		/* the value is factor * of / by */
};

/*
 * Returns how many ratios the event is the first number of, whether or not it was counted. Both events have the same
 * PMU and the same modifiers. @units: storage of texts.
 */
size_t derived_ratios(const struct counts *counts, size_t event, struct derived_ratio ratios[DERIVED_MAX],
		      char units[DERIVED_MAX][48]);

#endif
