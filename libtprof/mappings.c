// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The executable mappings of an image: a sorted array without overlaps, shared until changed. */
#include "mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A small program maps itself, the loader, libc and the vdso. */
#define MIN_CAPACITY 4

struct mappings *mappings_ref(struct mappings *mappings)
{
	if (mappings)
		mappings->refs++;
	return mappings;
}

void mappings_put(struct mappings *mappings)
{
	if (mappings && !--mappings->refs)
		free(mappings);
}

/* Makes the array the caller's own, with room for @nr. */
static int mappings_reserve(struct mappings **mappings, uint32_t nr)
{
	struct mappings *old = *mappings, *own;
	bool shared = old && old->refs > 1;
	uint32_t capacity = MIN_CAPACITY;

	if (old && !shared && nr <= old->capacity)
		return 0;
	if (nr > MIN_CAPACITY)
		capacity = nr + nr / 2;
	own = realloc(shared ? NULL : old, sizeof(*own) + capacity * sizeof(own->at[0]));
	if (!own)
		return -ENOMEM;
	if (shared) {
		memcpy(own->at, old->at, old->nr * sizeof(own->at[0]));
		own->nr = old->nr;
		mappings_put(old);
	} else if (!old) {
		own->nr = 0;
	}
	own->refs = 1;
	own->capacity = capacity;
	*mappings = own;
	return 0;
}

/* Index of the first mapping that ends above @address. */
static uint32_t mappings_above(const struct mappings *mappings, uint64_t address)
{
	uint32_t low = 0, high = mappings ? mappings->nr : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (mappings->at[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct mapping mapping_from(const struct mapping *mapping, uint64_t start)
{
	struct mapping rest = *mapping;

	rest.pgoff += start - rest.start;
	rest.start = start;
	return rest;
}

/* Does @b go on where @a ends, in memory and in the file? */
static bool mapping_continues(const struct mapping *a, const struct mapping *b)
{
	return a->end == b->start && a->dso == b->dso && a->pgoff + (a->end - a->start) == b->pgoff;
}

/*
 * What takes the place of the overlapped ones: at most the left rest of the first, the mapping, and the right
 * rest of the last. Pieces that continue each other become one: JIT compilers add page after page.
 */
static uint32_t mappings_pieces(const struct mappings *mappings, uint32_t first, uint32_t last,
				const struct mapping *mapping, struct mapping pieces[3])
{
	uint32_t nr = 0;

	if (first < last && mappings->at[first].start < mapping->start) {
		pieces[nr] = mappings->at[first];
		pieces[nr++].end = mapping->start;
	}
	if (nr && mapping_continues(&pieces[nr - 1], mapping))
		pieces[nr - 1].end = mapping->end;
	else
		pieces[nr++] = *mapping;
	if (first < last && mappings->at[last - 1].end > mapping->end) {
		struct mapping rest = mappings->at[last - 1];

		if (rest.start < mapping->end)
			rest = mapping_from(&rest, mapping->end);
		if (mapping_continues(&pieces[nr - 1], &rest))
			pieces[nr - 1].end = rest.end;
		else
			pieces[nr++] = rest;
	}
	return nr;
}

int mappings_insert(struct mappings **mappings, const struct mapping *mapping)
{
	struct mappings *m = *mappings;
	struct mapping pieces[3];
	uint32_t first, last, nr_pieces, nr;
	int err;

	if (mapping->start >= mapping->end)
		return -EINVAL;
	/* Neighbours that touch are taken in, so that they can become one with it. */
	first = mappings_above(m, mapping->start ? mapping->start - 1 : 0);
	for (last = first; m && last < m->nr && m->at[last].start <= mapping->end; last++)
		;
	nr_pieces = mappings_pieces(m, first, last, mapping, pieces);
	nr = (m ? m->nr : 0) - (last - first) + nr_pieces;
	if (nr > MAPPINGS_MAX)
		return -E2BIG;
	err = mappings_reserve(mappings, nr);
	if (err)
		return err;
	m = *mappings;
	memmove(&m->at[first + nr_pieces], &m->at[last], (m->nr - last) * sizeof(m->at[0]));
	memcpy(&m->at[first], pieces, nr_pieces * sizeof(m->at[0]));
	m->nr = nr;
	return 0;
}

const struct mapping *mappings_first(const struct mappings *mappings, uint64_t start, uint64_t end)
{
	uint32_t i = mappings_above(mappings, start);

	return mappings && start < end && i < mappings->nr && mappings->at[i].start < end ? &mappings->at[i] : NULL;
}

const struct mapping *mappings_find(const struct mappings *mappings, uint64_t ip)
{
	const struct mapping *mapping = mappings_first(mappings, ip, UINT64_MAX);

	return mapping && mapping->start <= ip ? mapping : NULL;
}

bool mappings_have_page(const struct mappings *mappings, uint32_t page)
{
	for (uint32_t i = 0; mappings && i < mappings->nr; i++) {
		const struct mapping *mapping = &mappings->at[i];
		uint64_t first = mapping->start >> 12;
		uint64_t nr = ((mapping->end + 0xfff) >> 12) - first;

		/* In 32 bits, so that a mapping across a multiple of 16 TiB holds its pages too. */
		if ((uint32_t)(page - (uint32_t)first) < nr)
			return true;
	}
	return false;
}

bool mappings_same_ranges(const struct mappings *a, const struct mappings *b)
{
	uint32_t nr = a ? a->nr : 0;

	if (nr != (b ? b->nr : 0))
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		const struct mapping *x = &a->at[i], *y = &b->at[i];

		if (x->start != y->start || x->end != y->end)
			return false;
	}
	return true;
}
