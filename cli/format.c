// SPDX-License-Identifier: GPL-2.0-only
/* Which format a file is to have. */
#include "format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nearest.h"
#include "out.h"

struct search {
	const char *name;		/* NULL: by the end of the path */
	const char *path;
	struct tprof_format *found;
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
	*search->found = *format;
	return 1;
}

int format_choose(const char *name, const char *path, const char *usual, struct tprof_format *format)
{
	struct search search = { .name = name, .path = path, .found = format };
	char hint[sizeof(search.names) + 32];

	if (tprof_format__each(try_format, &search))
		return 0;
	if (!name && usual)
		return format_choose(usual, path, NULL, format);
	if (search.nearest.word)
		snprintf(hint, sizeof(hint), "did you mean %s?", search.nearest.word);
	else
		snprintf(hint, sizeof(hint), "--format takes one of %s", search.names);
	return name ? out_usage(hint, "%s: no such format", name) : out_usage(hint, "--format: it is missing");
}
