// SPDX-License-Identifier: GPL-2.0-only
/* Growable arrays. */
#include "grow.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_ROOM 4

void *grow_array(void *array, size_t nr, size_t *room, size_t size)
{
	size_t more = *room ? *room : FIRST_ROOM;
	void *larger;

	if (nr < *room)
		return array;
	if (nr >= PTRDIFF_MAX / 2 / size)
		return NULL;
	while (more <= nr || more == *room)
		more *= 2;
	larger = realloc(array, more * size);
	if (larger)
		*room = more;
	return larger;
}
