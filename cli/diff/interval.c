// SPDX-License-Identifier: GPL-2.0-only
/*
 * Confidence intervals of sampled shares. The Wilson interval is also valid for small shares and few samples, where the
 * normal approximation (the share plus or minus twice its standard error) has a width of 0 for a function without
 * samples.
 */
#include "interval.h"

#include <math.h>

/* 95 % of a normal distribution lie within this many standard deviations. */
#define Z 1.959963984540054

struct interval interval_share(double share, double samples)
{
	double n = samples, middle, half;

	if (!(samples > 0))
		return (struct interval){ 0, 1 };
	middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n);
	half = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
	return (struct interval){ fmax(middle - half, 0), fmin(middle + half, 1) };
}

struct interval interval_change(double before, double samples_before, double after, double samples_after)
{
	struct interval a = interval_share(before, samples_before), b = interval_share(after, samples_after);
	double change = after - before;

	return (struct interval){
		.low = change - hypot(after - b.low, a.high - before),
		.high = change + hypot(b.high - after, before - a.low),
	};
}
