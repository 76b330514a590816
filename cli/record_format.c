// SPDX-License-Identifier: GPL-2.0-only
/* Which format a file is to have. */
#include "record_format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "out.h"

#define DEFAULT_FORMAT "pprof"

struct search {
	const char *name;		/* NULL: by the end of the path */
	const char *path;
	struct tprof_format *found;
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
	if (search->name ? strcmp(search->name, format->name) != 0 : !ends_with(search->path, format->suffix))
		return 0;
	*search->found = *format;
	return 1;
}

int record_format(const char *name, const char *path, struct tprof_format *format)
{
	struct search search = { .name = name, .path = path, .found = format };
	char hint[sizeof(search.names) + 32];

	if (tprof_format__each(try_format, &search))
		return 0;
	if (!name) {
		search = (struct search){ .name = DEFAULT_FORMAT, .found = format };
		if (tprof_format__each(try_format, &search))
			return 0;
	}
	snprintf(hint, sizeof(hint), "--format takes one of %s", search.names);
	return out_usage(hint, "%s: no such format", search.name);
}
