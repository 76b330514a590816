// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Events with numbers that the kernel or the CPU defines. */
#include "event_numbers.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_names.h"

struct numbered {
	const char *name, *alias, *unit;
	uint32_t type;
	uint64_t config;
};

static const struct numbered numbered[] = {
#define X(NAME, name, alias, type, config, unit) { name, alias, unit, type, config },
	EVENTS_NUMBERED(X)
#undef X
};

#define NR_NUMBERED (sizeof(numbered) / sizeof(numbered[0]))

bool event_parse_numbered(struct event *event, const char *name)
{
	for (size_t i = 0; i < NR_NUMBERED; i++) {
		const struct numbered *known = &numbered[i];

		if (strcmp(known->name, name) != 0 && (!known->alias || strcmp(known->alias, name) != 0))
			continue;
		snprintf(event->name, sizeof(event->name), "%s", known->name);
		event->unit = known->unit;
		event->type = known->type;
		event->config = known->config;
		return true;
	}
	return false;
}

/* Parses what follows "CACHE-": an operation and a result ("loads", "load-misses", "store-misses", ...). */
static bool parse_cache_access(const char *name, uint32_t *operation, uint32_t *result)
{
#define X(accesses, misses, op)								\
	if (strcmp(name, accesses) == 0 || strcmp(name, misses) == 0) {			\
		*operation = op;							\
		*result = strcmp(name, misses) == 0 ? PERF_COUNT_HW_CACHE_RESULT_MISS	\
						    : PERF_COUNT_HW_CACHE_RESULT_ACCESS; \
		return true;								\
	}
	EVENT_CACHE_OPS(X)
#undef X
	return false;
}

bool event_parse_cache(struct event *event, const char *name)
{
	uint32_t operation, result;

#define X(cache, number, stores, prefetches)						\
	if (strncmp(name, cache "-", strlen(cache "-")) == 0 &&				\
	    parse_cache_access(name + strlen(cache "-"), &operation, &result)) {	\
		event->type = PERF_TYPE_HW_CACHE;					\
		event->config = EVENT_CACHE_CONFIG(number, operation, result);		\
		return true;								\
	}
	EVENT_CACHES(X)
#undef X
	return false;
}

bool event_parse_raw(struct event *event, const char *name)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(name + 1, &end, 16);
	return *end == '\0' && errno == 0;
}
