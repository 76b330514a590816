// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Lists every named event and whether this machine can sample it: each event is opened on the online CPUs until one
 * accepts it.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event_core.h"
#include "event_names.h"
#include "tprof.h"

struct visitor {
	int (*fn)(void *ctx, const char *name, const char *kind, bool usable);
	void *ctx;
};

static int visit(const struct visitor *visitor, const char *name, const char *kind)
{
	struct event event;
	bool usable = event_parse(&event, name, NULL) == 0 && event_probe_online(&event) == 0;

	return visitor->fn(visitor->ctx, name, kind, usable);
}

/* There is no perf event for these: they need BPF, with the types of the kernel. A session needs perf events, too. */
static int visit_switches(const struct visitor *visitor)
{
	const struct event dummy = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY };
	bool usable = access("/sys/kernel/btf/vmlinux", R_OK) == 0 && event_probe_online(&dummy) == 0;

	int stop = visitor->fn(visitor->ctx, EVENT_WAIT_NAME, "wait", usable);

	if (!stop)
		stop = visitor->fn(visitor->ctx, EVENT_RUN_NAME, "run", usable);
	return stop ? stop : visitor->fn(visitor->ctx, EVENT_WAKEUP_NAME, "wakeup", usable);
}

static int visit_numbered(const struct visitor *visitor)
{
	static const struct {
		const char *name;
		uint32_t type;
	} events[] = {
#define X(NAME, name, alias, type, config, unit) { name, type },
		EVENTS_NUMBERED(X)
#undef X
	};
	int stop = 0;
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]) && !stop; i++)
		stop = visit(visitor, events[i].name,
			     events[i].type == PERF_TYPE_HARDWARE ? "hardware" : "software");
	return stop;
}

/* Does the kernel define an event for this operation of the cache? */
static bool cache_has(uint32_t op, bool stores, bool prefetches)
{
	return op == PERF_COUNT_HW_CACHE_OP_READ || (op == PERF_COUNT_HW_CACHE_OP_WRITE && stores) ||
	       (op == PERF_COUNT_HW_CACHE_OP_PREFETCH && prefetches);
}

static int visit_cache(const struct visitor *visitor, const char *cache, bool stores, bool prefetches)
{
	static const struct {
		const char *access, *miss;
		uint32_t op;
	} ops[] = {
#define X(access, miss, op) { access, miss, op },
		EVENT_CACHE_OPS(X)
#undef X
	};
	char name[64];
	int stop = 0;
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]) && !stop; i++) {
		if (!cache_has(ops[i].op, stores, prefetches))
			continue;
		snprintf(name, sizeof(name), "%s-%s", cache, ops[i].access);
		stop = visit(visitor, name, "cache");
		snprintf(name, sizeof(name), "%s-%s", cache, ops[i].miss);
		stop = stop ? stop : visit(visitor, name, "cache");
	}
	return stop;
}

static int visit_caches(const struct visitor *visitor)
{
	static const struct {
		const char *name;
		bool stores, prefetches;
	} caches[] = {
#define X(name, number, stores, prefetches) { name, stores, prefetches },
		EVENT_CACHES(X)
#undef X
	};
	int stop = 0;
	size_t i;

	for (i = 0; i < sizeof(caches) / sizeof(caches[0]) && !stop; i++)
		stop = visit_cache(visitor, caches[i].name, caches[i].stores, caches[i].prefetches);
	return stop;
}

/* The directory also holds the scale and unit files of the events; their names contain a dot. */
static int is_event(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

static int visit_pmu(const struct visitor *visitor, const char *pmu)
{
	struct dirent **entries;
	char name[2 * NAME_MAX + 8];
	char path[sizeof(EVENT_SYSFS) + NAME_MAX + 16];
	int i, nr, stop = 0;

	snprintf(path, sizeof(path), EVENT_SYSFS "/%s/events", pmu);
	nr = scandir(path, &entries, is_event, alphasort);
	if (nr < 0 && errno == ENOMEM)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s/%s/", pmu, entries[i]->d_name);
		stop = stop ? stop : visit(visitor, name, pmu);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return stop;
}

static int visit_pmus(const struct visitor *visitor)
{
	struct dirent **entries;
	int i, nr, stop = 0;

	nr = scandir(EVENT_SYSFS, &entries, is_event, alphasort);
	if (nr < 0 && errno == ENOMEM)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		stop = stop ? stop : visit_pmu(visitor, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return stop;
}

int tprof_event__each(int (*fn)(void *ctx, const char *name, const char *kind, bool usable), void *ctx)
{
	const struct visitor visitor = { fn, ctx };
	int stop;

	stop = visit_numbered(&visitor);
	if (!stop)
		stop = visit_switches(&visitor);
	if (!stop)
		stop = visit_caches(&visitor);
	return stop ? stop : visit_pmus(&visitor);
}
