// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Events by name. */
#include "event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event_names.h"
#include "event_place.h"
#include "event_pmu.h"
#include "event_tracepoint.h"

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

static bool parse_numbered(struct event *event, const char *name)
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

static bool parse_cache(struct event *event, const char *name)
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

/* rNNN: a raw hardware event; NNN is its config in hexadecimal. */
static bool parse_raw(struct event *event, const char *name)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(name + 1, &end, 16);
	return *end == '\0' && errno == 0;
}

#define TRACEPOINT "tracepoint:"

/* The modifiers of perf, which follow the name of an event: "cycles:u", "cpu/event=0x3c/pp". */
#define MODIFIERS "ukhGHpPSDWIeb"

/* Does the name without @modifiers, its last part, name an event that takes modifiers in perf? */
static bool is_modified(const char *name, const char *modifiers)
{
	struct event event = { 0 };
	char base[sizeof(event.name)];
	size_t length = (size_t)(modifiers - name);

	if (!modifiers[0] || modifiers[strspn(modifiers, MODIFIERS)])
		return false;
	snprintf(base, sizeof(base), "%.*s", (int)length, name);
	if (base[length - 1] == '/')
		return base[0] != '/' && strchr(base, '/') != base + length - 1;
	base[length - 1] = '\0';
	return parse_numbered(&event, base) || parse_cache(&event, base) || parse_raw(&event, base);
}

/* The part of the name that has modifiers of perf; NULL if there are none. */
static const char *modifiers_of(const char *name)
{
	const char *slash = strrchr(name, '/'), *colon = strrchr(name, ':');

	if (slash && is_modified(name, slash + 1))
		return slash + 1;
	return colon && colon > name && is_modified(name, colon + 1) ? colon + 1 : NULL;
}

static int refuse_modifiers(const char *name, const char *modifiers, struct tprof_error *error)
{
	int length = (int)(modifiers - name) - (modifiers[-1] == ':');

	error_set(error, EINVAL, "event %s: modifiers of perf are not supported", name);
	if (!strcmp(modifiers, "u"))
		error_hint(error, "use %.*s with --user-only", length, name);
	else if (!strcmp(modifiers, "k"))
		error_hint(error, "use %.*s with --kernel-only", length, name);
	else
		error_hint(error, "use %.*s; --user-only and --kernel-only select a CPU mode", length, name);
	return -EINVAL;
}

int event_parse(struct event *event, const char *name, struct tprof_error *error)
{
	const char *modifiers;

	memset(event, 0, sizeof(*event));
	event->unit = "events";
	if (strlen(name) >= sizeof(event->name))
		return error_set(error, EINVAL, "event: the name is too long");
	if (parse_numbered(event, name))
		return 0;
	snprintf(event->name, sizeof(event->name), "%s", name);
	if (event_place_is_name(name))
		return event_place_parse(event, name, error);
	modifiers = modifiers_of(name);
	if (modifiers)
		return refuse_modifiers(name, modifiers, error);
	if (strncmp(name, TRACEPOINT, strlen(TRACEPOINT)) == 0)
		return event_tracepoint_parse(event, name + strlen(TRACEPOINT), error);
	if (strchr(name, '/'))
		return event_pmu_parse(event, name, error);
	if (parse_cache(event, name) || parse_raw(event, name))
		return 0;
	if (strchr(name, ':'))
		return event_tracepoint_parse(event, name, error);
	error_set(error, ENOENT, "event %s: there is no event of this name", name);
	error_hint(error, "tprof list events");
	return -ENOENT;
}

bool event_is_place(const struct event *event)
{
	return event->type == EVENT_TYPE_SOURCE &&
	       (strcmp(event->source, EVENT_SOURCE_KPROBE) == 0 || strcmp(event->source, EVENT_SOURCE_UPROBE) == 0);
}

bool event_is_counted_singly(const struct event *event)
{
	return event->type == PERF_TYPE_TRACEPOINT || event_is_place(event);
}

bool event_is_clock(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK);
}

void event_attr_init(struct perf_event_attr *attr, const struct event *event, uint64_t period)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	attr->sample_period = period;
	attr->disabled = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

int event_open_cpu(const struct perf_event_attr *attr, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int probe_cpu(const struct perf_event_attr *attr, unsigned int cpu)
{
	int fd = event_open_cpu(attr, (int)cpu);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool event_is_missing(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL;
}

int event_probe(const struct event *event, const struct cpus *cpus)
{
	struct perf_event_attr attr;
	int first_err = -ENODEV;

	event_attr_init(&attr, event, 1000000);
	for (size_t i = 0; i < cpus->nr; i++) {
		int err = probe_cpu(&attr, cpus->ids[i]);

		if (!event_is_missing(err))
			return err;
		if (!i)
			first_err = err;
	}
	return first_err;
}

int event_probe_online(const struct event *event)
{
	unsigned int first = 0;
	/* The fallback if /sys cannot be read. */
	struct cpus online, cpus = { .ids = &first, .nr = 1 };
	int err;

	if (cpus_init(&online, NULL, NULL))
		return event_probe(event, &cpus);
	err = event_probe(event, &online);
	cpus_release(&online);
	return err;
}
