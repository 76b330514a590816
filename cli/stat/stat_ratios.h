/* SPDX-License-Identifier: GPL-2.0-only */
/* The ratios of the events of `tprof stat`, over repeated runs or over intervals. */
#ifndef TPROF_STAT_RATIOS_H
#define TPROF_STAT_RATIOS_H

#include "counts.h"
#include "derived.h"
#include "ratio.h"

struct stat_ratio {
	struct derived_ratio kind;	/* its unit is the text below */
	char unit[48];
	struct ratio sums;		/* without runs and intervals in which one of the two was not counted */
};

/* A zeroed struct is empty. */
struct stat_ratios {
	struct stat_ratio *all;
	size_t nr;
	size_t nr_added;		/* runs or intervals */
};

/* Adds the values of a run or an interval, those of its first row. 0 or -ENOMEM. */
int stat_ratios_add(struct stat_ratios *ratios, const struct counts *counts);
void stat_ratios_fini(struct stat_ratios *ratios);

/* The value, as in ratio_moments(). */
struct moments stat_ratio_moments(const struct stat_ratio *ratio);
/* "instructions per cycle", "branch-misses, % of branches". */
void stat_ratio_label(const struct stat_ratio *ratio, const struct counts *counts, char *label, size_t size);

#endif
