// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* A set of strings: open addressing over memory chunks. */
#include "intern.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "utf8.h"

/*
 * Most sets belong to one file and hold few names, so the first chunk is small. Each further chunk is twice as large.
 */
#define MIN_CHUNK_BYTES 1024
#define MAX_CHUNK_BYTES 16384
#define FIRST_SLOTS 64		/* a power of two, like all later sizes */
/* From this number of slots on, the answers for some addresses are remembered: one for each SLOTS_RECENT slots. */
#define MIN_SLOTS_RECENT 512
#define SLOTS_RECENT 4

struct chunk {
	struct chunk *next;
	size_t used, size;
	char text[];
};

/* Many strings are asked for again at the same address. Comparing is faster than hashing, and finds other contents. */
struct recent {
	const char *asked, *kept;
};

struct intern {
	struct chunk *chunks;	/* strings are added to the first one */
	const char **slots;
	size_t nr_slots, nr_strings;
	struct recent *recent;	/* by the address that was asked for; NULL: none are remembered */
	size_t nr_recent;	/* a power of two */
	size_t chunk_bytes;	/* size of the next one */
	size_t bytes;		/* total size of all chunks */
};

struct intern *intern_new(void)
{
	struct intern *intern = calloc(1, sizeof(*intern));

	if (!intern)
		return NULL;
	intern->nr_slots = FIRST_SLOTS;
	intern->chunk_bytes = MIN_CHUNK_BYTES;
	intern->slots = calloc(intern->nr_slots, sizeof(*intern->slots));
	if (!intern->slots) {
		free(intern);
		return NULL;
	}
	return intern;
}

void intern_free(struct intern *intern)
{
	struct chunk *chunk, *next;

	if (!intern)
		return;
	for (chunk = intern->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(intern->slots);
	free(intern->recent);
	free(intern);
}

/* The slot of an address; NULL: none are remembered. */
static struct recent *recent_slot(const struct intern *intern, const char *string)
{
	return intern->recent ? &intern->recent[hash_mix(0, (uintptr_t)string) & (intern->nr_recent - 1)] : NULL;
}

/* The copy of a string that was asked for at this address; NULL: it is not remembered. */
static const char *find_recent(const struct intern *intern, const char *string)
{
	const struct recent *recent = recent_slot(intern, string);

	if (!recent || recent->asked != string || (recent->kept != string && strcmp(recent->kept, string) != 0))
		return NULL;
	return recent->kept;
}

/* Remembers a copy, or NULL, and returns it. */
static const char *remember(struct intern *intern, const char *string, const char *kept)
{
	struct recent *recent = recent_slot(intern, string);

	if (recent && kept)
		*recent = (struct recent){ string, kept };
	return kept;
}

/* Without memory, none are remembered. */
static void grow_recent(struct intern *intern)
{
	free(intern->recent);
	intern->nr_recent = intern->nr_slots / SLOTS_RECENT;
	intern->recent = intern->nr_slots < MIN_SLOTS_RECENT ? NULL :
							       calloc(intern->nr_recent, sizeof(*intern->recent));
}

/* The slot that holds the string, or the empty slot for it. */
static const char **find_slot(const char **slots, size_t nr_slots, const char *string)
{
	size_t i = hash_text(string) & (nr_slots - 1);

	while (slots[i] && strcmp(slots[i], string))
		i = (i + 1) & (nr_slots - 1);
	return &slots[i];
}

static int grow(struct intern *intern)
{
	size_t nr_slots = intern->nr_slots * 2;
	const char **slots = calloc(nr_slots, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < intern->nr_slots; i++) {
		if (intern->slots[i])
			*find_slot(slots, nr_slots, intern->slots[i]) = intern->slots[i];
	}
	free(intern->slots);
	intern->slots = slots;
	intern->nr_slots = nr_slots;
	grow_recent(intern);
	return 0;
}

static const char *keep(struct intern *intern, const char *string)
{
	struct chunk *chunk = intern->chunks;
	size_t size = strlen(string) + 1;
	char *copy;

	if (!chunk || chunk->size - chunk->used < size) {
		size_t usual = intern->chunk_bytes - sizeof(*chunk), chunk_bytes = size > usual ? size : usual;

		chunk = malloc(sizeof(*chunk) + chunk_bytes);
		if (!chunk)
			return NULL;
		*chunk = (struct chunk){ .next = intern->chunks, .size = chunk_bytes };
		intern->chunks = chunk;
		intern->bytes += sizeof(*chunk) + chunk_bytes;
		if (intern->chunk_bytes < MAX_CHUNK_BYTES)
			intern->chunk_bytes *= 2;
	}
	copy = chunk->text + chunk->used;
	memcpy(copy, string, size);
	chunk->used += size;
	return copy;
}

const char *intern_string(struct intern *intern, const char *string)
{
	const char **slot, *known = find_recent(intern, string);

	if (known)
		return known;
	if (intern->nr_strings >= intern->nr_slots / 2 && grow(intern))
		return NULL;
	slot = find_slot(intern->slots, intern->nr_slots, string);
	if (*slot)
		return remember(intern, string, *slot);
	*slot = keep(intern, string);
	if (*slot)
		intern->nr_strings++;
	return remember(intern, string, *slot);
}

size_t intern_bytes(const struct intern *intern)
{
	return sizeof(*intern) + intern->nr_slots * sizeof(*intern->slots) + intern->bytes +
	       (intern->recent ? intern->nr_recent * sizeof(*intern->recent) : 0);
}

/* Printable ASCII, as most names are: needs no cleaning. */
static bool is_plain(const char *name)
{
	while (*name >= ' ' && *name <= '~')
		name++;
	return !*name;
}

const char *intern_name(struct intern *intern, const char *name)
{
	const char *kept = find_recent(intern, name);
	char *clean;

	if (kept)
		return kept;
	kept = *find_slot(intern->slots, intern->nr_slots, name);
	/* Only clean names are in the set, and most names are looked up again and again. */
	if (kept)
		return remember(intern, name, kept);
	if (is_plain(name))
		return intern_string(intern, name);
	clean = strdup(name);
	if (clean) {
		utf8_clean(clean);
		kept = intern_string(intern, clean);
	}
	free(clean);
	return kept;
}
