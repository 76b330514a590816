// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Places in code by name. */
#include "event_place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kind {
	const char *name, *source, *form;
	bool in_file, returns, is_pattern;
};

static const struct kind kinds[] = {
	{ "kprobe:", EVENT_SOURCE_KPROBE, "kprobe:FUNCTION[+OFFSET]", .in_file = false },
	{ "kretprobe:", EVENT_SOURCE_KPROBE, "kretprobe:FUNCTION", .returns = true },
	{ "uprobe:", EVENT_SOURCE_UPROBE, "uprobe:PATH:FUNCTION[+OFFSET]", .in_file = true },
	{ "uretprobe:", EVENT_SOURCE_UPROBE, "uretprobe:PATH:FUNCTION", .in_file = true, .returns = true },
	{ "function:", EVENT_SOURCE_FUNCTION, "function:PATTERN", .is_pattern = true },
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strncmp(name, kinds[i].name, strlen(kinds[i].name)) == 0)
			return &kinds[i];
	}
	return NULL;
}

bool event_place_is_name(const char *name)
{
	return find_kind(name);
}

/* A whole word in decimal, or in hexadecimal after 0x. */
static bool parse_number(const char *text, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtoull(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	return *end == '\0' && errno == 0;
}

/* Copies @length bytes. Returns false if they are none, or too many. */
static bool copy(char *to, size_t size, const char *from, size_t length)
{
	if (!length || length >= size)
		return false;
	memcpy(to, from, length);
	to[length] = '\0';
	return true;
}

/* FUNCTION, FUNCTION+OFFSET or a number. A plus sign that no number follows belongs to the name, as in operator+. */
static bool parse_function(struct event_place *place, const char *text)
{
	const char *plus = strrchr(text, '+');
	size_t length = strlen(text);
	uint64_t number;

	if (parse_number(text, &number)) {
		place->offset = number;
		return true;
	}
	if (plus && parse_number(plus + 1, &number)) {
		length = (size_t)(plus - text);
		place->offset = number;
	}
	/* Returns are those of the whole function. */
	if (place->returns && place->offset)
		return false;
	return copy(place->function, sizeof(place->function), text, length);
}

static bool parse_place(struct event_place *place, const struct kind *kind, const char *text)
{
	size_t path_length;

	place->returns = kind->returns;
	place->is_pattern = kind->is_pattern;
	if (kind->is_pattern)
		return copy(place->function, sizeof(place->function), text, strlen(text));
	if (!kind->in_file)
		return parse_function(place, text);
	path_length = strcspn(text, ":");
	return text[path_length] == ':' && copy(place->path, sizeof(place->path), text, path_length) &&
	       parse_function(place, text + path_length + 1);
}

int event_place_parse(struct event *event, const char *name, struct tprof_error *error)
{
	const struct kind *kind = find_kind(name);

	if (!kind || !parse_place(&event->place, kind, name + strlen(kind->name))) {
		error_set(error, EINVAL, "event %s: not of the form %s", name, kind ? kind->form : kinds[0].form);
		error_hint(error, "the section Names of events in man tprof-list describes the forms");
		return -EINVAL;
	}
	event->type = EVENT_TYPE_SOURCE;
	snprintf(event->source, sizeof(event->source), "%s", kind->source);
	return 0;
}
