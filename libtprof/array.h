/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Arrays that grow, and arrays that are sorted by the addresses that their elements stand for. */
#ifndef TPROF_ARRAY_H
#define TPROF_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * The array with room for one more behind @nr, of @size bytes each; *room is how many it has room for, and twice as
 * many when that was all. NULL if there is no memory; then the array stays as it is.
 */
void *array_grow(void *array, size_t nr, size_t *room, size_t size);

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
