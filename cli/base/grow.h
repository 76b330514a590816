/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef TPROF_GROW_H
#define TPROF_GROW_H

#include <stddef.h>

/*
 * The one way to grow memory in the command: the array with room for one more behind @nr elements of @size bytes.
 * *room is how many it has room for, 0 at first, and twice as many at least when that was not enough. NULL if there is
 * no memory; then array and room stay as they are.
 */
void *grow_array(void *array, size_t nr, size_t *room, size_t size);

#endif
