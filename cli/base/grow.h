/* SPDX-License-Identifier: GPL-2.0-only */
/* Growable arrays. */
#ifndef TPROF_GROW_H
#define TPROF_GROW_H

#include <stddef.h>

/*
 * All arrays of the command grow here. Returns the array with capacity for at least one more than @nr elements of @size
 * bytes. *@capacity counts elements and is initially 0; it is at least doubled when it is exhausted. Returns NULL if
 * memory is short, and then leaves array and capacity unchanged.
 */
void *grow_array(void *array, size_t nr, size_t *capacity, size_t size);

#endif
