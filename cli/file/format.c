// SPDX-License-Identifier: GPL-2.0-only
/* Which format a file is to have. */
#include "format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/out.h"

struct search {
	const char *name;		/* NULL: by the end of the path */
	const char *path;
	struct tprof_format *found;
	size_t suffix;			/* length of the one that was found by */
	struct nearest nearest;
	char names[256];		/* of all, for the hint */
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return tail && length > tail && !strcmp(text + length - tail, end);
}

static int try_format(void *ctx, const struct tprof_format *format)
{
	struct search *search = ctx;
	size_t length = strlen(search->names);

	snprintf(search->names + length, sizeof(search->names) - length, "%s%s", length ? ", " : "", format->name);
	if (search->name)
		nearest_offer(&search->nearest, search->name, format->name);
	if (search->name ? strcmp(search->name, format->name) != 0 : !ends_with(search->path, format->suffix))
		return 0;
	/* x.speedscope.json ends as JSON does, too: the longest end of a name says most. */
	length = strlen(format->suffix);
	if (length > search->suffix) {
		*search->found = *format;
		search->suffix = length;
	}
	return 0;
}

/* Other ends of names, and what they stand for. */
static const struct other_name {
	const char *suffix;
	const char *format;		/* NULL: none, and then */
	const char *what, *hint;
} other_names[] = {
	{ ".collapsed", "folded", NULL, NULL },
	{ ".html", NULL, "a page", "tprof flame draws one of a profile: tprof flame -i FILE -o PAGE.html" },
	{ ".svg", NULL, "a picture", "tprof flame draws one of a profile: tprof flame -i FILE -o PICTURE.svg" },
	{ ".traw", NULL, "a raw recording", "tprof record --raw makes one" },
};

static const struct other_name *find_other(const char *path)
{
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++) {
		if (ends_with(path, other_names[i].suffix))
			return &other_names[i];
	}
	return NULL;
}

static int unknown(const struct search *search)
{
	char hint[sizeof(search->names) + 32];

	if (search->nearest.word)
		snprintf(hint, sizeof(hint), "did you mean %s?", search->nearest.word);
	else
		snprintf(hint, sizeof(hint), "--format takes one of %s", search->names);
	if (search->name)
		return out_usage(hint, "%s: no such format", search->name);
	if (search->path[0])
		return out_usage(hint, "%s: its name stands for no format, and --format is missing", search->path);
	return out_usage(hint, "--format: it is missing");
}

int format_choose(const char *name, const char *path, const char *usual, struct tprof_format *format)
{
	struct search search = { .name = name, .path = path, .found = format };
	const struct other_name *other = name ? NULL : find_other(path);

	if (other && other->format)
		return format_choose(other->format, path, NULL, format);
	if (other)
		return out_usage(other->hint, "%s: its name is that of %s, and no format is one", path, other->what);
	tprof_format__each(try_format, &search);
	if (search.suffix)
		return 0;
	return !name && usual ? format_choose(usual, path, NULL, format) : unknown(&search);
}
