// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of names: two hash tables with open addressing, one by text and one by address. */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FIRST_SLOTS 1024	/* sizes are powers of two */

static uint64_t mix(uint64_t key, uint64_t word)
{
	key = (key ^ word) * 0x9e3779b97f4a7c15ull;
	return key ^ key >> 32;
}

static uint64_t hash_text(uint64_t key, const char *text)
{
	for (; *text; text++)
		key = (key ^ (unsigned char)*text) * 0x100000001b3ull;
	return key;
}

static uint64_t hash_name(const struct name *name)
{
	uint64_t key = hash_text(hash_text(0xcbf29ce484222325ull, name->text) + 1, name->object);

	return mix(key, (uint64_t)(uint32_t)name->pid << 8 | name->mode);
}

static bool same_name(const struct name *a, const struct name *b)
{
	return a->mode == b->mode && a->pid == b->pid && !strcmp(a->text, b->text) && !strcmp(a->object, b->object);
}

/* The slot of the name, or the free slot for it. */
static uint32_t *find_slot(const struct names *names, const struct name *name)
{
	size_t at = hash_name(name) & (names->nr_slots - 1);

	while (names->slots[at] && !same_name(&names->names[names->slots[at] - 1], name))
		at = (at + 1) & (names->nr_slots - 1);
	return &names->slots[at];
}

static bool grow_slots(struct names *names)
{
	size_t nr = names->nr_slots ? names->nr_slots * 2 : FIRST_SLOTS;
	uint32_t *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return false;
	free(names->slots);
	names->slots = slots;
	names->nr_slots = nr;
	for (size_t i = 0; i < names->nr; i++)
		*find_slot(names, &names->names[i]) = (uint32_t)i + 1;
	return true;
}

static bool grow_names(struct names *names)
{
	struct name *larger = grow_array(names->names, names->nr, &names->capacity, sizeof(*larger));

	if (!larger)
		return false;
	names->names = larger;
	return true;
}

long names_number(struct names *names, const struct name *name)
{
	uint32_t *slot;

	if (names->nr >= names->nr_slots / 2 && !grow_slots(names))
		return -1;
	slot = find_slot(names, name);
	if (*slot)
		return (long)*slot - 1;
	if (names->nr == UINT32_MAX - 1 || !grow_names(names))
		return -1;
	names->names[names->nr++] = *name;
	*slot = (uint32_t)names->nr;
	return (long)names->nr - 1;
}

static struct names_known *find_known(struct names_known *known, size_t nr_slots, const void *of)
{
	size_t at = mix((uintptr_t)of, 0) & (nr_slots - 1);

	while (known[at].of && known[at].of != of)
		at = (at + 1) & (nr_slots - 1);
	return &known[at];
}

static bool grow_known(struct names *names)
{
	size_t nr = names->nr_known_slots ? names->nr_known_slots * 2 : FIRST_SLOTS;
	struct names_known *known = calloc(nr, sizeof(*known));

	if (!known)
		return false;
	for (size_t i = 0; i < names->nr_known_slots; i++) {
		if (names->known[i].of)
			*find_known(known, nr, names->known[i].of) = names->known[i];
	}
	free(names->known);
	names->known = known;
	names->nr_known_slots = nr;
	return true;
}

long names_known(const struct names *names, const void *of)
{
	struct names_known *known;

	if (!names->nr_known_slots)
		return -1;
	known = find_known(names->known, names->nr_known_slots, of);
	return known->of ? (long)known->number : -1;
}

long names_number_of(struct names *names, const void *of, const struct name *name)
{
	struct names_known *known;
	long number;

	if (names->nr_known >= names->nr_known_slots / 2 && !grow_known(names))
		return -1;
	known = find_known(names->known, names->nr_known_slots, of);
	if (known->of)
		return known->number;
	number = names_number(names, name);
	if (number < 0)
		return -1;
	*known = (struct names_known){ of, (uint32_t)number };
	names->nr_known++;
	return number;
}

void names_forget(struct names *names)
{
	free(names->known);
	names->known = NULL;
	names->nr_known = names->nr_known_slots = 0;
}

struct names_text {
	struct names_text *next;
	char text[];
};

const char *names_text(struct names *names, const char *function, bool inlined, const char *file, unsigned int line)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *mark = inlined ? " (inlined)" : "";
	size_t size = strlen(function) + strlen(mark) + strlen(base) + sizeof(" :4294967295");
	struct names_text *made;

	if (!inlined && !line)
		return function;
	made = malloc(sizeof(*made) + size);
	if (!made)
		return NULL;
	if (line)
		snprintf(made->text, size, "%s%s %s:%u", function, mark, base, line);
	else
		snprintf(made->text, size, "%s%s", function, mark);
	made->next = names->texts;
	names->texts = made;
	return made->text;
}

void names_fini(struct names *names)
{
	for (struct names_text *text = names->texts, *next; text; text = next) {
		next = text->next;
		free(text);
	}
	free(names->names);
	free(names->slots);
	free(names->known);
	*names = (struct names){ 0 };
}
