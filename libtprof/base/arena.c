// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Memory that is taken in small pieces and freed at once. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

/*
 * Many arenas hold little, so the first block is small. Each further one is twice as large, up to a size for which the
 * allocator keeps the memory for the next arena.
 */
#define MIN_BLOCK_BYTES 1024
#define MAX_BLOCK_BYTES 65536
#define ALIGNMENT _Alignof(max_align_t)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	max_align_t bytes[];
};

static struct arena_block *add_block(struct arena *arena, size_t least)
{
	struct arena_block *block, *last = arena->blocks;
	size_t size = last ? (last->size + sizeof(*block)) * 2 : MIN_BLOCK_BYTES;

	size = (size < MAX_BLOCK_BYTES ? size : MAX_BLOCK_BYTES) - sizeof(*block);
	if (size < least)
		size = least;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return NULL;
	*block = (struct arena_block){ .next = last, .size = size };
	arena->blocks = block;
	return block;
}

void *arena_take(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!block || block->size - block->used < size)
		block = add_block(arena, size);
	if (!block)
		return NULL;
	block->used += size;
	return (char *)block->bytes + block->used - size;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
}
