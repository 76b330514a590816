/* SPDX-License-Identifier: GPL-2.0-only */
/* How sure shares are that were sampled. */
#ifndef TPROF_INTERVAL_H
#define TPROF_INTERVAL_H

struct interval {
	double low, high;
};

/* Where a share is, with 95 % confidence, that was @share of so many samples (Wilson's score interval). */
struct interval interval_share(double share, double samples);

/* The same for how far the second share is above the first (Newcombe's hybrid of their score intervals). */
struct interval interval_change(double before, double samples_before, double after, double samples_after);

#endif
