/* SPDX-License-Identifier: GPL-2.0-only */
/* Confidence intervals of sampled shares. */
#ifndef TPROF_INTERVAL_H
#define TPROF_INTERVAL_H

struct interval {
	double low, high;
};

/* The 95 % confidence interval of a share measured with @samples samples (Wilson score interval). */
struct interval interval_share(double share, double samples);

/* The 95 % confidence interval of the change @after - @before (Newcombe hybrid score interval). */
struct interval interval_change(double before, double samples_before, double after, double samples_after);

#endif
