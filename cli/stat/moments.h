/* SPDX-License-Identifier: GPL-2.0-only */
/* Mean and standard deviation of repeated measurements, and the difference of two means. */
#ifndef TPROF_MOMENTS_H
#define TPROF_MOMENTS_H

#include <stddef.h>

/* A zeroed struct has no values. */
struct moments {
	size_t nr;
	double mean;
	double squares;		/* sum of the squared distances from the mean */
};

void moments_add(struct moments *moments, double value);
/* The standard deviation of the population, estimated from the sample; 0 with less than two values. */
double moments_deviation(const struct moments *moments);
/* Half the width of the 95 % confidence interval of the mean; INFINITY with less than two values. */
double moments_half(const struct moments *moments);

struct difference {
	double change;		/* b - a */
	double low, high;	/* its 95 % confidence interval */
};

/* Of two means, without the assumption of equal deviations (Welch). Both need two values or more. */
struct difference moments_difference(const struct moments *a, const struct moments *b);

/* The quantile of Student's distribution for 95 % on both sides. @degrees: of freedom, 1 or more. */
double moments_student(double degrees);

#endif
