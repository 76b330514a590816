/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef TPROF_GROW_H
#define TPROF_GROW_H

#include <stddef.h>

/*
 * The array with room for one more behind @nr, of @size bytes each; *room is how many it has room for, and twice as
 * many when that was all. NULL if there is no memory; then the array stays as it is.
 */
void *grow_array(void *array, size_t nr, size_t *room, size_t size);

#endif
