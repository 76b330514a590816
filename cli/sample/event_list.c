// SPDX-License-Identifier: GPL-2.0-only
/* Lists of events, as in -e a,b. */
#include "event_list.h"

#include <stdbool.h>
#include <string.h>

/* Does the name begin with a PMU, "PMU/"? A slash after a colon is that of a path. */
static bool has_terms(const char *list)
{
	return list[strcspn(list, "/,:")] == '/';
}

size_t event_list_length(const char *list)
{
	const char *terms = has_terms(list) ? strchr(list, '/') + 1 : list;
	const char *end = terms > list ? strchr(terms, '/') : NULL;

	return (size_t)((end ? end : terms) - list) + strcspn(end ? end : terms, ",");
}
