/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that follow from several events: CPUs used, GHz, instructions per cycle, rates, shares of misses. */
#ifndef TPROF_DERIVED_H
#define TPROF_DERIVED_H

#include "counts.h"

struct derived {
	const char *name;	/* as in JSON */
	double value;
	char text[64];		/* for people: "1.25 instructions per cycle" */
};

/* Returns whether something is known about the event; values that were not counted have no such number. */
bool derived_of(const struct counts *counts, const struct counts_row *row, size_t event, struct derived *derived);

#endif
