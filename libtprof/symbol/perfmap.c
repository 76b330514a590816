// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The content of one perf-PID.map. Any program may have written the file, so its lines may overlap in any way and
 * number. Parsing splits them into disjoint pieces, so that a lookup finds exactly one piece with one name.
 */
#include "perfmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct line {
	uint64_t start, end;
	uint32_t name;		/* offset into names */
	uint32_t at;		/* offset in the file: a later line wins */
};

/* A part of a function that no later line covers. */
struct piece {
	uint64_t start, end;
	uint64_t function;	/* start of the function */
	uint32_t name;
	uint32_t changed_at;	/* offset of the line that replaced another name; 0: none did */
};

struct perfmap {
	struct piece *pieces;	/* sorted and disjoint */
	size_t nr, capacity;
	char *names;
	size_t names_size;
	size_t max_bytes;
};

/* The number of overlapping lines whose names are compared, at most. */
#define MAX_COMPARED 16

/* State of the parser. */
struct reader {
	struct perfmap *map;
	struct line *lines;
	size_t nr, capacity;
	uint32_t *open;		/* a heap with the latest line on top; may contain lines that have ended */
	size_t nr_open;
	uint64_t from;		/* start of the piece being made */
};

size_t perfmap_bytes(const struct perfmap *map)
{
	return sizeof(*map) + map->nr * sizeof(*map->pieces) + map->names_size;
}

/*
 * True if that many lines or pieces fit into the limit beside the names. A line takes as much memory as a piece, and
 * either number may be the larger one.
 */
static bool fits(const struct perfmap *map, size_t nr)
{
	return sizeof(*map) + nr * sizeof(*map->pieces) + map->names_size <= map->max_bytes;
}

void perfmap_free(struct perfmap *map)
{
	if (!map)
		return;
	free(map->pieces);
	free(map->names);
	free(map);
}

/* Parses a hexadecimal number and the blank behind it. */
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

static int add_line(struct reader *reader, const char *line, const char *end, uint32_t at)
{
	struct perfmap *map = reader->map;
	struct line *grown;
	uint64_t start, size;

	if (!parse_number(&line, end, &start) || !parse_number(&line, end, &size) || line >= end ||
	    !size || size > UINT64_MAX - start)
		return 0;
	if (!fits(map, reader->nr + 1))
		return -E2BIG;
	grown = array_grow(reader->lines, reader->nr, &reader->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	reader->lines = grown;
	grown[reader->nr++] = (struct line){
		.start = start,
		.end = start + size,
		.name = (uint32_t)map->names_size,
		.at = at,
	};
	/* A name is shorter than its line, so the copies of all names fit into the size of the text. */
	memcpy(map->names + map->names_size, line, end - line);
	map->names_size += end - line;
	map->names[map->names_size++] = '\0';
	return 0;
}

/* Ignores a last line without a newline: it is still being written, and half a name would be a wrong one. */
static int parse_lines(struct reader *reader, const char *text, size_t size)
{
	const char *line = text, *end;

	for (; (end = memchr(line, '\n', text + size - line)); line = end + 1) {
		int err = add_line(reader, line, end, (uint32_t)(line - text));

		if (err)
			return err;
	}
	return 0;
}

static int compare_starts(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static bool is_later(const struct reader *reader, uint32_t a, uint32_t b)
{
	return reader->lines[a].at > reader->lines[b].at;
}

static void push(struct reader *reader, uint32_t line)
{
	uint32_t *open = reader->open;
	size_t at = reader->nr_open++;

	for (; at && is_later(reader, line, open[(at - 1) / 2]); at = (at - 1) / 2)
		open[at] = open[(at - 1) / 2];
	open[at] = line;
}

static void pop(struct reader *reader)
{
	uint32_t *open = reader->open, last = open[--reader->nr_open];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < reader->nr_open; at = child) {
		if (child + 1 < reader->nr_open && is_later(reader, open[child + 1], open[child]))
			child++;
		if (is_later(reader, last, open[child]))
			break;
		open[at] = open[child];
	}
	open[at] = last;
}

/*
 * The offset of the line at which the current name replaced another name. Later lines may have repeated the name; the
 * earliest of them counts, within MAX_COMPARED. If a replaced line ends within the piece, the whole piece counts as
 * replaced: that may cost a name, but never gives a wrong one.
 */
static uint32_t changed_at(const struct reader *reader)
{
	const struct perfmap *map = reader->map;
	const struct line *latest = &reader->lines[reader->open[0]];
	uint32_t other_at = 0, since = latest->at;
	bool has_other = false;

	if (reader->nr_open > MAX_COMPARED)
		return latest->at;
	for (size_t i = 1; i < reader->nr_open; i++) {
		const struct line *line = &reader->lines[reader->open[i]];

		if (line->end <= reader->from || !strcmp(map->names + line->name, map->names + latest->name))
			continue;
		has_other = true;
		if (line->at > other_at)
			other_at = line->at;
	}
	for (size_t i = 1; i < reader->nr_open && has_other; i++) {
		const struct line *line = &reader->lines[reader->open[i]];

		if (line->end > reader->from && line->at > other_at && line->at < since)
			since = line->at;
	}
	return has_other ? since : 0;
}

static int add_piece(struct reader *reader, uint64_t end)
{
	const struct line *line = &reader->lines[reader->open[0]];
	uint32_t changed = changed_at(reader);
	struct perfmap *map = reader->map;
	uint64_t start = reader->from;
	struct piece *grown;

	if (map->nr && map->pieces[map->nr - 1].end == start && map->pieces[map->nr - 1].name == line->name &&
	    map->pieces[map->nr - 1].changed_at == changed) {
		map->pieces[map->nr - 1].end = end;
		return 0;
	}
	if (!fits(map, map->nr + 1))
		return -E2BIG;
	grown = array_grow(map->pieces, map->nr, &map->capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	map->pieces = grown;
	grown[map->nr++] = (struct piece){ start, end, line->start, line->name, changed };
	return 0;
}

/*
 * Makes one piece between each two boundaries, which are starts of lines and ends of the topmost line: compilers reuse
 * memory.
 */
static int make_pieces(struct reader *reader)
{
	struct line *lines = reader->lines;
	uint64_t to;
	uint32_t next = 0;
	int err = 0;

	while (!err && (next < reader->nr || reader->nr_open)) {
		const struct line *latest = reader->nr_open ? &lines[reader->open[0]] : NULL;

		to = latest ? latest->end : UINT64_MAX;
		if (next < reader->nr && lines[next].start < to)
			to = lines[next].start;
		if (latest && to > reader->from)
			err = add_piece(reader, to);
		reader->from = to;
		while (next < reader->nr && lines[next].start == to)
			push(reader, next++);
		while (reader->nr_open && lines[reader->open[0]].end <= to)
			pop(reader);
	}
	return err;
}

static int read_text(struct reader *reader, const char *text, size_t size)
{
	int err;

	reader->map->names = size < UINT32_MAX ? malloc(size + 1) : NULL;
	if (!reader->map->names)
		return -ENOMEM;
	err = parse_lines(reader, text, size);
	if (err || !reader->nr)
		return err;
	qsort(reader->lines, reader->nr, sizeof(*reader->lines), compare_starts);
	reader->open = calloc(reader->nr, sizeof(*reader->open));
	return reader->open ? make_pieces(reader) : -ENOMEM;
}

/* @names_capacity: allocated bytes of names */
static void trim(struct perfmap *map, size_t names_capacity)
{
	map->names = array_trim(map->names, map->names_size + 1, &names_capacity, 1);
	map->pieces = array_trim(map->pieces, map->nr, &map->capacity, sizeof(*map->pieces));
}

struct perfmap *perfmap_parse(const char *text, size_t size, size_t max_bytes)
{
	struct perfmap *map = calloc(1, sizeof(*map));
	struct reader reader = { .map = map };
	int err = -ENOMEM;

	if (map) {
		map->max_bytes = max_bytes;
		err = read_text(&reader, text, size);
	}
	free(reader.lines);
	free(reader.open);
	if (err) {
		perfmap_free(map);
		errno = -err;
		return NULL;
	}
	trim(map, size + 1);
	return map;
}

static const struct piece *find_piece(const struct perfmap *map, uint64_t ip)
{
	size_t low = 0, high = map->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->pieces[middle].start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low && ip < map->pieces[low - 1].end ? &map->pieces[low - 1] : NULL;
}

bool perfmap_find(const struct perfmap *map, uint64_t ip, const char **name, uint64_t *delta)
{
	const struct piece *piece = find_piece(map, ip);

	if (!piece)
		return false;
	*name = map->names + piece->name;
	*delta = ip - piece->function;
	return true;
}

bool perfmap_has_changed(const struct perfmap *map, uint64_t ip, size_t old_bytes)
{
	const struct piece *piece = find_piece(map, ip);

	return piece && piece->changed_at && piece->changed_at >= old_bytes;
}
