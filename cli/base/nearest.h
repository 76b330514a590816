/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the word that a mistyped word was probably meant to be. */
#ifndef TPROF_NEAREST_H
#define TPROF_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;	/* the best match so far; NULL: no match is close enough */
	size_t distance;
};

/* Considers one candidate for the typed word. Start with a zeroed struct. */
void nearest_offer(struct nearest *nearest, const char *typed, const char *candidate);

#endif
