// SPDX-License-Identifier: GPL-2.0-only
/* Ratios of sums. */
#include "ratio.h"

void ratio_add(struct ratio *ratio, double of, double by)
{
	double distance = of - ratio->of.mean;

	moments_add(&ratio->of, of);
	moments_add(&ratio->by, by);
	ratio->products += distance * (by - ratio->by.mean);
}

/* The residuals of - value * by have the sum 0, and each of them changes the ratio by as much as the mean of @by. */
struct moments ratio_moments(const struct ratio *ratio, double factor)
{
	double value, residuals;

	if (!(ratio->by.mean > 0))
		return (struct moments){ 0 };
	value = ratio->of.mean / ratio->by.mean;
	residuals = ratio->of.squares - 2 * value * ratio->products + value * value * ratio->by.squares;
	/* Rounding, if all ratios are equal. */
	if (residuals < 0)
		residuals = 0;
	return (struct moments){
		.nr = ratio->of.nr,
		.mean = factor * value,
		.squares = factor * factor * residuals / (ratio->by.mean * ratio->by.mean),
	};
}
