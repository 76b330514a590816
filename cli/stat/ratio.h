/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ratio of two values that are measured together, repeatedly: in runs, or in intervals. It is the ratio of their
 * sums, so a short measurement counts for little.
 */
#ifndef TPROF_RATIO_H
#define TPROF_RATIO_H

#include "moments.h"

/* A zeroed struct has no values. */
struct ratio {
	struct moments of, by;
	double products;	/* sum of the products of the distances from both means */
};

void ratio_add(struct ratio *ratio, double of, double by);

/*
 * The ratio times @factor as a mean, with the deviation that its confidence interval follows from (linearized): for
 * moments_half() and moments_difference(). Without a sum to divide by, the result has no values.
 */
struct moments ratio_moments(const struct ratio *ratio, double factor);

#endif
