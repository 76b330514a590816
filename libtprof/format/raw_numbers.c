// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Numbers of definitions in a raw recording. */
#include "raw_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct definition {
	struct hash_node node;
	uint32_t number;
	uint32_t size;
	char bytes[];
};

/* Hashes eight bytes at a time: call stacks are long. */
static uint64_t hash_bytes(const void *bytes, size_t size)
{
	uint64_t key = size;
	size_t step;

	for (size_t at = 0; at < size; at += step) {
		uint64_t word = 0;

		step = size - at < sizeof(word) ? size - at : sizeof(word);
		memcpy(&word, (const char *)bytes + at, step);
		key = (key ^ word) * 0x9e3779b97f4a7c15ULL;
		key ^= key >> 32;
	}
	return key;
}

int64_t raw_numbers_find(struct raw_numbers *numbers, const void *bytes, size_t size, bool *is_new)
{
	uint64_t key = hash_bytes(bytes, size);
	struct definition *definition;
	struct hash_node *node;

	*is_new = false;
	for (node = hash_find(&numbers->hash, key); node; node = hash_find_next(node)) {
		definition = (struct definition *)node;
		if (definition->size == size && !memcmp(definition->bytes, bytes, size))
			return definition->number;
	}
	definition = arena_take(&numbers->definitions, sizeof(*definition) + size);
	if (!definition || hash_add(&numbers->hash, &definition->node, key))
		return -ENOMEM;
	definition->number = numbers->nr++;
	definition->size = (uint32_t)size;
	memcpy(definition->bytes, bytes, size);
	numbers->memory += sizeof(*definition) + size + 2 * sizeof(void *);
	*is_new = true;
	return definition->number;
}

void raw_numbers_forget(struct raw_numbers *numbers)
{
	hash_fini(&numbers->hash);
	arena_free(&numbers->definitions);
	*numbers = (struct raw_numbers){ 0 };
}
