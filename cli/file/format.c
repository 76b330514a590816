// SPDX-License-Identifier: GPL-2.0-only
/* The format of an output file. */
#include "format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/out.h"

struct search {
	const char *name;		/* NULL: search by the suffix of the path */
	const char *path;
	struct tprof_format *found;
	size_t suffix;			/* length of the matching suffix */
	struct nearest nearest;
	char names[256];		/* of all formats, for the hint */
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
	/* The longest suffix wins: x.speedscope.json also ends in .json. */
	length = strlen(format->suffix);
	if (length > search->suffix) {
		*search->found = *format;
		search->suffix = length;
	}
	return 0;
}

/* Other suffixes: aliases of formats, and files that are not in any format. */
static const struct other_name {
	const char *suffix;
	const char *format;		/* NULL: none; see what and hint */
	const char *what, *hint;
} other_names[] = {
	{ ".collapsed", "folded", NULL, NULL },
	{ ".html", NULL, "a page", "tprof flame draws pages: tprof flame -i FILE -o PAGE.html" },
	{ ".svg", NULL, "a picture", "tprof flame draws pictures: tprof flame -i FILE -o PICTURE.svg" },
	{ ".traw", NULL, "a raw recording", "tprof record --raw makes raw recordings" },
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
		snprintf(hint, sizeof(hint), "use --format with one of: %s", search->names);
	if (search->name)
		return out_usage(hint, "%s: no such format", search->name);
	if (search->path[0])
		return out_usage(hint, "%s: its suffix matches no format, and --format is missing", search->path);
	return out_usage(hint, "--format: the option is missing");
}

int format_choose(const char *name, const char *path, const char *usual, struct tprof_format *format)
{
	struct search search = { .name = name, .path = path, .found = format };
	const struct other_name *other = name ? NULL : find_other(path);

	if (other && other->format)
		return format_choose(other->format, path, NULL, format);
	if (other)
		return out_usage(other->hint, "%s: its suffix is that of %s, which is not an output format", path,
				 other->what);
	tprof_format__each(try_format, &search);
	if (search.suffix)
		return 0;
	return !name && usual ? format_choose(usual, path, NULL, format) : unknown(&search);
}
