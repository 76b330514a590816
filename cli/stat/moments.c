// SPDX-License-Identifier: GPL-2.0-only
/* Mean, deviation and confidence intervals, with Student's distribution, as there are few repeats. */
#include "moments.h"

#include <math.h>

void moments_add(struct moments *moments, double value)
{
	double distance = value - moments->mean;

	moments->nr++;
	moments->mean += distance / (double)moments->nr;
	moments->squares += distance * (value - moments->mean);
}

double moments_deviation(const struct moments *moments)
{
	return moments->nr > 1 ? sqrt(moments->squares / (double)(moments->nr - 1)) : 0;
}

/* The density of Student's distribution, without the constant factor, integrates to this for t from 0 to @limit. */
static double integral(double degrees, double limit)
{
	/* t = tan(u) * sqrt(degrees) turns the density into a power of the cosine on a finite range. Simpson's rule. */
	enum { STEPS = 400 };
	double end = isinf(limit) ? M_PI / 2 : atan(limit / sqrt(degrees)), sum = 0;

	for (int i = 0; i <= STEPS; i++) {
		double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;

		sum += weight * pow(fmax(cos(end * i / STEPS), 0), degrees - 1);
	}
	return sum * end / STEPS / 3;
}

double moments_student(double degrees)
{
	double low = 0, high = 13, whole;

	/* The expansion is as good, and the power above would need more steps. */
	if (degrees > 200)
		return 1.959963984540054 * (1 + 1.21 / degrees);
	whole = integral(degrees, INFINITY);
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (integral(degrees, middle) < 0.95 * whole)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double moments_half(const struct moments *moments)
{
	if (moments->nr < 2)
		return INFINITY;
	return moments_student((double)(moments->nr - 1)) * moments_deviation(moments) / sqrt((double)moments->nr);
}

/* The square of the standard error of the mean. */
static double error_of(const struct moments *moments)
{
	return moments->squares / (double)(moments->nr - 1) / (double)moments->nr;
}

struct difference moments_difference(const struct moments *a, const struct moments *b)
{
	double of_a = error_of(a), of_b = error_of(b), both = of_a + of_b, change = b->mean - a->mean, half, degrees;

	if (!(both > 0))
		return (struct difference){ change, change, change };
	/* Welch and Satterthwaite */
	degrees = both * both / (of_a * of_a / (double)(a->nr - 1) + of_b * of_b / (double)(b->nr - 1));
	half = moments_student(fmax(degrees, 1)) * sqrt(both);
	return (struct difference){ change, change - half, change + half };
}
