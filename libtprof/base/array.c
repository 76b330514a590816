// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Growing arrays, and arrays sorted by address range. */
#include "array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAPACITY 16
/* Maximum number of elements that array_find_range() checks. */
#define MAX_OVERLAPS 8

void *array_reserve(void *array, size_t wanted, size_t *capacity, size_t size)
{
	size_t more = *capacity ? *capacity : FIRST_CAPACITY;
	void *larger;

	if (array && wanted <= *capacity)
		return array;
	if (wanted > PTRDIFF_MAX / 2 / size) {
		errno = ENOMEM;
		return NULL;
	}
	while (more < wanted || more == *capacity)
		more *= 2;
	larger = realloc(array, more * size);
	if (larger)
		*capacity = more;
	return larger;
}

void *array_grow(void *array, size_t nr, size_t *capacity, size_t size)
{
	return array_reserve(array, nr + 1, capacity, size);
}

int array_grow_pointers(void *array, size_t nr, size_t *capacity)
{
	void *grown = array_grow(*(void **)array, nr, capacity, sizeof(void *));

	if (!grown)
		return -ENOMEM;
	*(void **)array = grown;
	return 0;
}

void *array_trim(void *array, size_t nr, size_t *capacity, size_t size)
{
	void *smaller = nr && nr < *capacity ? realloc(array, nr * size) : NULL;

	if (smaller)
		*capacity = nr;
	return smaller ? smaller : array;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct array_range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->high < y->high) - (x->high > y->high);
}

void array_sort_ranges(void *array, size_t nr, size_t size)
{
	if (nr)
		qsort(array, nr, size, compare_ranges);
}

static const struct array_range *range_at(const void *array, size_t index, size_t size)
{
	return (const void *)((const char *)array + index * size);
}

void *array_find_range(const void *array, size_t nr, size_t size, uint64_t address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (range_at(array, middle, size)->low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > 0 && low - i < MAX_OVERLAPS; i--) {
		if (address < range_at(array, i - 1, size)->high)
			return (void *)range_at(array, i - 1, size);
	}
	return NULL;
}
