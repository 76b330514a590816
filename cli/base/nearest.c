// SPDX-License-Identifier: GPL-2.0-only
/* The word with the smallest edit distance, if at most a third of the letters differ. */
#include "nearest.h"

#include <string.h>

#define MAX_WORD 32

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Counts insertions, deletions, replacements, and swaps of adjacent letters, the most common typing error. */
static size_t edit_distance(const char *a, size_t la, const char *b, size_t lb)
{
	size_t d[MAX_WORD + 1][MAX_WORD + 1];

	for (size_t i = 0; i <= la; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
					least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[la][lb];
}

void nearest_offer(struct nearest *nearest, const char *typed, const char *candidate)
{
	size_t length = strlen(typed), other = strlen(candidate), distance;

	if (length > MAX_WORD || other > MAX_WORD)
		return;
	distance = edit_distance(typed, length, candidate, other);
	if (distance > (length + 2) / 3 || distance >= other)
		return;
	if (nearest->word && nearest->distance <= distance)
		return;
	nearest->word = candidate;
	nearest->distance = distance;
}
