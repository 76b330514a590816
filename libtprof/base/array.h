/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Growing arrays, and arrays sorted by address range. */
#ifndef TPROF_ARRAY_H
#define TPROF_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* The number of elements of an array of fixed length. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/*
 * All arrays in the library grow with these functions. An array starts as NULL with a capacity of 0; the capacity
 * counts elements of @size bytes. Growing at least doubles the capacity, so that appending takes linear time in total.
 * Returns the array, or NULL if memory is exhausted; then array and capacity are unchanged.
 */
/* Ensures a capacity of at least @wanted elements. */
void *array_reserve(void *array, size_t wanted, size_t *capacity, size_t size);
/* Ensures capacity for one more element than @nr. */
void *array_grow(void *array, size_t nr, size_t *capacity, size_t size);
/* The same for an array of pointers; @array is the address of the array pointer. Returns 0 or -ENOMEM. */
int array_grow_pointers(void *array, size_t nr, size_t *capacity);
/* Shrinks the capacity to @nr elements if the allocator can. Never fails: returns the old array if it cannot. */
void *array_trim(void *array, size_t nr, size_t *capacity, size_t size);

/* The half-open range [low, high). Every element of the arrays below begins with this struct. */
struct array_range {
	uint64_t low, high;
};

/* Sorts by low; ranges with the same low: the longest first. */
void array_sort_ranges(void *array, size_t nr, size_t size);

/*
 * The innermost element that contains @address, in a sorted array. Looks only at the last element that begins at or
 * before @address and at a few elements before it. NULL: not found.
 */
void *array_find_range(const void *array, size_t nr, size_t size, uint64_t address);

#endif
