// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The content of one perf-PID.map. Any program may have written it. */
#include "perfmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t start, end;
	uint64_t max_end;	/* of all entries up to this one */
	uint32_t name;		/* place in the names */
	uint32_t order;		/* line number: a later line is truer */
};

struct perfmap {
	struct entry *entries;	/* sorted by start */
	size_t nr, room;
	char *names;
	size_t names_size;
};

void perfmap_free(struct perfmap *map)
{
	if (!map)
		return;
	free(map->entries);
	free(map->names);
	free(map);
}

/* Takes a hexadecimal number and the blank behind it off the line. */
static bool parse_number(const char **at, const char *end, uint64_t *number)
{
	const char *from = *at;

	if (end - from > 2 && from[0] == '0' && (from[1] | 0x20) == 'x')
		from += 2;
	*at = from;
	for (*number = 0; *at < end && **at != ' '; (*at)++) {
		int digit = **at <= '9' ? **at - '0' : (**at | 0x20) - 'a' + 10;

		if (digit < 0 || digit > 15 || (**at > '9' && digit < 10) || *number >> 60)
			return false;
		*number = *number << 4 | (unsigned int)digit;
	}
	return *at > from && (*at)++ < end;
}

static int add_line(struct perfmap *map, const char *line, const char *end, uint32_t order)
{
	uint64_t start, size;

	if (!parse_number(&line, end, &start) || !parse_number(&line, end, &size) || line >= end ||
	    !size || size > UINT64_MAX - start)
		return 0;
	if (map->nr == map->room) {
		size_t room = map->room ? map->room * 2 : 256;
		struct entry *grown = reallocarray(map->entries, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		map->entries = grown;
		map->room = room;
	}
	map->entries[map->nr++] = (struct entry){
		.start = start,
		.end = start + size,
		.name = (uint32_t)map->names_size,
		.order = order,
	};
	/* A name takes less room than its line, so the copy of all fits into the size of the text. */
	memcpy(map->names + map->names_size, line, end - line);
	map->names_size += end - line;
	map->names[map->names_size++] = '\0';
	return 0;
}

/* A last line without its end is still being written: half a name would be a wrong one. */
static int parse_lines(struct perfmap *map, const char *text, size_t size)
{
	const char *line = text, *end;
	uint32_t order = 0;

	for (; (end = memchr(line, '\n', text + size - line)); line = end + 1) {
		int err = add_line(map, line, end, order++);

		if (err)
			return err;
	}
	return 0;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Sorts, and keeps the last of those that cover the same bytes: compilers use memory again and again. */
static void finish(struct perfmap *map)
{
	struct entry *entries = map->entries;
	uint64_t max_end = 0;
	size_t nr = 0;
	void *trimmed;

	if (map->nr)
		qsort(entries, map->nr, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < map->nr; i++) {
		if (nr && entries[nr - 1].start == entries[i].start && entries[nr - 1].end == entries[i].end)
			nr--;
		if (entries[i].end > max_end)
			max_end = entries[i].end;
		entries[nr] = entries[i];
		entries[nr++].max_end = max_end;
	}
	map->nr = nr;
	trimmed = realloc(map->names, map->names_size + 1);
	if (trimmed)
		map->names = trimmed;
	trimmed = nr ? reallocarray(entries, nr, sizeof(*entries)) : NULL;
	if (trimmed)
		map->entries = trimmed;
}

struct perfmap *perfmap_parse(const char *text, size_t size)
{
	struct perfmap *map = calloc(1, sizeof(*map));

	if (map)
		map->names = size < UINT32_MAX ? malloc(size + 1) : NULL;
	if (!map || !map->names || parse_lines(map, text, size)) {
		perfmap_free(map);
		errno = ENOMEM;
		return NULL;
	}
	finish(map);
	return map;
}

bool perfmap_find(const struct perfmap *map, uint64_t ip, const char **name, uint64_t *delta)
{
	const struct entry *found = NULL;
	size_t low = 0, high = map->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->entries[middle].start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && map->entries[low - 1].max_end > ip; low--) {
		const struct entry *entry = &map->entries[low - 1];

		if (entry->end > ip && (!found || entry->order > found->order))
			found = entry;
	}
	if (!found)
		return false;
	*name = map->names + found->name;
	*delta = ip - found->start;
	return true;
}
