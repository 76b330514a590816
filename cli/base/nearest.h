/* SPDX-License-Identifier: GPL-2.0-only */
/* The word that was probably meant. */
#ifndef TPROF_NEAREST_H
#define TPROF_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;	/* the best one so far; NULL: none is near enough */
	size_t distance;
};

/* Offers one candidate for what was typed. Start with a zeroed struct. */
void nearest_offer(struct nearest *nearest, const char *typed, const char *candidate);

#endif
