// SPDX-License-Identifier: GPL-2.0-only
/* Splits stacks by their next name. */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>

#define MANY 256	/* from this number on, sort_many() is faster than qsort() */

static int by_name(const void *a, const void *b)
{
	uint32_t x = ((const struct calls_at *)a)->name, y = ((const struct calls_at *)b)->name;

	return (x > y) - (x < y);
}

static int by_weight(const void *a, const void *b)
{
	const struct calls_branch *x = a, *y = b;
	int order = (x->sum.weight < y->sum.weight) - (x->sum.weight > y->sum.weight);

	return order ? order : (x->name > y->name) - (x->name < y->name);
}

static void add(struct tprof_tally *sum, const struct calls_stack *stack)
{
	sum->samples += stack->samples;
	sum->weight += stack->weight;
}

/*
 * Advances each stack by one step. Stacks that end are added to @ended and moved behind the rest. Returns the number
 * left.
 */
static size_t advance(struct calls_at *stacks, size_t nr, int step, struct tprof_tally *ended)
{
	for (size_t i = 0; i < nr;) {
		struct calls_at *at = &stacks[i], last;

		if (step > 0 ? at->at + 1 < at->stack->nr : at->at > 0) {
			at->at += (uint32_t)step;
			at->name = at->stack->names[at->at];
			i++;
			continue;
		}
		add(ended, at->stack);
		last = stacks[--nr];
		stacks[nr] = *at;
		*at = last;
	}
	return nr;
}

static void spread(const struct calls_at *from, struct calls_at *to, size_t nr, int shift)
{
	size_t ends[257] = { 0 };

	for (size_t i = 0; i < nr; i++)
		ends[(from[i].name >> shift & 0xff) + 1]++;
	for (size_t i = 1; i < 257; i++)
		ends[i] += ends[i - 1];
	for (size_t i = 0; i < nr; i++)
		to[ends[from[i].name >> shift & 0xff]++] = from[i];
}

/* A radix sort by the bytes of the name: for many stacks, several times as fast as qsort(). */
static int sort_many(struct calls_at *stacks, size_t nr, uint32_t largest)
{
	struct calls_at *other = calloc(nr, sizeof(*other));

	if (!other)
		return -ENOMEM;
	for (int shift = 0; shift < 32 && largest >> shift; shift += 16) {
		spread(stacks, other, nr, shift);
		spread(other, stacks, nr, shift + 8);
	}
	free(other);
	return 0;
}

/* Sorts by name, unless sorted already: most splits have a single name. */
static int sort(struct calls_at *stacks, size_t nr)
{
	uint32_t largest = 0;
	bool sorted = true;

	for (size_t i = 0; i < nr; i++) {
		sorted &= largest <= stacks[i].name;
		largest = stacks[i].name > largest ? stacks[i].name : largest;
	}
	if (sorted)
		return 0;
	if (nr >= MANY)
		return sort_many(stacks, nr, largest);
	qsort(stacks, nr, sizeof(*stacks), by_name);
	return 0;
}

static size_t count_names(const struct calls_at *stacks, size_t nr)
{
	size_t names = nr != 0;

	for (size_t i = 1; i < nr; i++)
		names += stacks[i].name != stacks[i - 1].name;
	return names;
}

int calls_split(struct calls_at *stacks, size_t nr, int step, struct calls_split *split)
{
	*split = (struct calls_split){ 0 };
	nr = advance(stacks, nr, step, &split->ended);
	if (sort(stacks, nr))
		return -ENOMEM;
	split->branches = calloc(count_names(stacks, nr) + 1, sizeof(*split->branches));
	if (!split->branches)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!i || stacks[i].name != stacks[i - 1].name) {
			split->branches[split->nr++] = (struct calls_branch){
				.name = stacks[i].name, .stacks = &stacks[i],
			};
		}
		split->branches[split->nr - 1].nr++;
		add(&split->branches[split->nr - 1].sum, stacks[i].stack);
	}
	qsort(split->branches, split->nr, sizeof(*split->branches), by_weight);
	return 0;
}
