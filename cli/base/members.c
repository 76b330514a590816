// SPDX-License-Identifier: GPL-2.0-only
/* Names of options in place of names of members, in error messages of the library. */
#include "members.h"

#include <stdio.h>
#include <string.h>

#define AND " and "

/* The option of the member at the start of *@text, which is then moved behind it. NULL: it begins with none. */
static const char *take(const struct member *members, const char **text)
{
	size_t length = strcspn(*text, " ");

	for (; members->name; members++) {
		if (strlen(members->name) != length || strncmp(members->name, *text, length) != 0)
			continue;
		*text += length;
		return members->option;
	}
	return NULL;
}

void members_to_options(const struct member *members, struct tprof_error *error)
{
	struct tprof_error old = *error;
	const char *rest = old.text, *first = take(members, &rest), *second = NULL;

	if (!first)
		return;
	if (!strncmp(rest, AND, strlen(AND))) {
		const char *after = rest + strlen(AND);

		second = take(members, &after);
		rest = second ? after : rest;
	}
	snprintf(error->text, sizeof(error->text), "%s%s%s%s", first, second ? AND : "", second ? second : "", rest);
}
