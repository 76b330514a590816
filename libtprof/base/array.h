/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Arrays that grow, and arrays that are sorted by the addresses that their elements stand for. */
#ifndef TPROF_ARRAY_H
#define TPROF_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * The one way to grow memory in the library: an array, NULL at first, and its capacity, in elements of @size bytes, 0
 * at first. Capacity at least doubles each time it has to grow, so that appending is linear. NULL if there is no
 * memory; then array and capacity are as they were.
 */
/* Capacity for @wanted elements in all. */
void *array_reserve(void *array, size_t wanted, size_t *capacity, size_t size);
/* Capacity for one element behind @nr of them. */
void *array_grow(void *array, size_t nr, size_t *capacity, size_t size);
/* The same for an array of pointers, given by its address. 0 or -ENOMEM. */
int array_grow_pointers(void *array, size_t nr, size_t *capacity);
/* Gives back what is behind @nr elements, as far as the allocator can. Never fails. */
void *array_trim(void *array, size_t nr, size_t *capacity, size_t size);

/* From low on, up to high. Each element of the arrays below begins with one. */
struct array_range {
	uint64_t low, high;
};

/* By the beginning; of those that begin together, the longest first. */
void array_sort_ranges(void *array, size_t nr, size_t size);

/*
 * The innermost element that holds the address, in a sorted array: the last that begins before it, or one of the few
 * before that one. NULL if there is none.
 */
void *array_find_range(const void *array, size_t nr, size_t size, uint64_t address);

#endif
