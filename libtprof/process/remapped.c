// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Address ranges of an image whose code was replaced recently. */
#include "remapped.h"

#include <errno.h>
#include <stdlib.h>

/* A program that loads one plugin after another has a few. */
#define MAX_RANGES 16

struct range {
	uint64_t start, end;		/* [start, end) */
	uint32_t age;			/* age of the last record */
};

struct remapped {
	uint32_t nr;
	struct range at[MAX_RANGES];
};

static bool is_over(const struct range *range, uint32_t age)
{
	return age - range->age >= 2;
}

/* Bytes by which the range has to grow to include the other one. */
static uint64_t growth(const struct range *range, uint64_t start, uint64_t end)
{
	uint64_t below = start < range->start ? range->start - start : 0;
	uint64_t above = end > range->end ? end - range->end : 0;

	return below + above;
}

static void widen(struct range *range, uint64_t start, uint64_t end, uint32_t age)
{
	if (start < range->start)
		range->start = start;
	if (end > range->end)
		range->end = end;
	range->age = age;
}

int remapped_note(struct remapped **remapped, uint64_t start, uint64_t end, uint32_t age)
{
	struct range *nearest = NULL;
	struct remapped *list = *remapped;

	if (!list)
		*remapped = list = calloc(1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->nr;) {
		struct range *range = &list->at[i];

		if (is_over(range, age)) {
			*range = list->at[--list->nr];
			continue;
		}
		if (!nearest || growth(range, start, end) < growth(nearest, start, end))
			nearest = range;
		i++;
	}
	/* An adjacent range grows by at most the length of the new one. */
	if (nearest && (list->nr == MAX_RANGES || growth(nearest, start, end) <= end - start))
		widen(nearest, start, end, age);
	else
		list->at[list->nr++] = (struct range){ .start = start, .end = end, .age = age };
	return 0;
}

bool remapped_at(const struct remapped *remapped, uint64_t ip, uint32_t age)
{
	for (uint32_t i = 0; remapped && i < remapped->nr; i++) {
		const struct range *range = &remapped->at[i];

		if (ip >= range->start && ip < range->end && !is_over(range, age))
			return true;
	}
	return false;
}
