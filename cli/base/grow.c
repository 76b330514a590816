// SPDX-License-Identifier: GPL-2.0-only
/* Growable arrays. */
#include "grow.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAPACITY 4

void *grow_array(void *array, size_t nr, size_t *capacity, size_t size)
{
	size_t more = *capacity ? *capacity : FIRST_CAPACITY;
	void *larger;

	if (nr < *capacity)
		return array;
	if (nr >= PTRDIFF_MAX / 2 / size)
		return NULL;
	while (more <= nr || more == *capacity)
		more *= 2;
	larger = realloc(array, more * size);
	if (larger)
		*capacity = more;
	return larger;
}
