// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* PMUs of CPUs, of which a hybrid machine has several. */
#include "event_core.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event_numbers.h"

/* In the config of hardware and cache events, the PMU is above the number of the event (PERF_PMU_TYPE_SHIFT). */
#define PMU_SHIFT 32

/* The kernel lists the CPUs of such a PMU in the file cpus. */
static int path_of(char *path, size_t size, const char *sysfs, const char *pmu, const char *file)
{
	return snprintf(path, size, "%s/%s/%s", sysfs, pmu, file) < (int)size ? 0 : -ENAMETOOLONG;
}

static bool read_line(const char *sysfs, const char *pmu, const char *file, char *line, size_t size)
{
	char path[PATH_MAX];
	FILE *in = path_of(path, sizeof(path), sysfs, pmu, file) ? NULL : fopen(path, "re");
	bool read = in && fgets(line, (int)size, in);

	if (in)
		fclose(in);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

bool event_is_core_pmu(const char *sysfs, const char *pmu)
{
	char path[PATH_MAX];

	return !path_of(path, sizeof(path), sysfs, pmu, "cpus") && access(path, F_OK) == 0;
}

static bool has_one_of(const char *list, const struct cpus *cpus)
{
	struct cpus own;
	bool found = false;

	if (!list[0] || cpus_parse(&own, list))
		return false;
	for (size_t i = 0; i < cpus->nr && !found; i++)
		found = cpus_have(&own, cpus->ids[i]);
	cpus_release(&own);
	return found;
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_type(const void *a, const void *b)
{
	const struct core_pmu *left = a, *right = b;

	return (left->type > right->type) - (left->type < right->type);
}

static void add(struct core_pmus *pmus, const char *sysfs, const char *name)
{
	struct core_pmu *pmu = &pmus->all[pmus->nr];
	char line[16];

	if (pmus->nr == EVENT_CORE_PMUS || strlen(name) >= sizeof(pmu->name) ||
	    !read_line(sysfs, name, "type", line, sizeof(line)))
		return;
	strcpy(pmu->name, name);
	pmu->type = (uint32_t)strtoul(line, NULL, 10);
	pmus->nr++;
}

void event_core_pmus(struct core_pmus *pmus, const char *sysfs, const struct cpus *cpus)
{
	struct dirent **entries;
	char list[4096];
	int nr = scandir(sysfs, &entries, is_name, NULL), nr_core = 0;

	*pmus = (struct core_pmus){ 0 };
	for (int i = 0; i < nr; i++) {
		if (read_line(sysfs, entries[i]->d_name, "cpus", list, sizeof(list))) {
			nr_core++;
			if (has_one_of(list, cpus))
				add(pmus, sysfs, entries[i]->d_name);
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	pmus->hybrid = nr_core > 1;
	if (!pmus->hybrid)
		pmus->nr = 0;
	qsort(pmus->all, pmus->nr, sizeof(pmus->all[0]), by_type);
}

static bool parse(struct event *event, const char *name)
{
	return (event_parse_numbered(event, name) && event->type == PERF_TYPE_HARDWARE) ||
	       event_parse_cache(event, name) || event_parse_raw(event, name);
}

bool event_is_of_core(const char *name)
{
	struct event event = { 0 };
	char base[sizeof(event.name)];

	return snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, ":"), name) < (int)sizeof(base) &&
	       parse(&event, base);
}

int event_core_name(char *into, size_t size, const char *name, const char *pmu)
{
	int length = (int)strcspn(name, ":");

	return snprintf(into, size, "%s/%.*s/%s", pmu, length, name, name[length] ? name + length + 1 : "") <
	       (int)size ? 0 : -EINVAL;
}

bool event_parse_of_core(struct event *event, const char *name)
{
	struct event parsed = *event;

	if (!parse(&parsed, name))
		return false;
	event->unit = parsed.unit;
	event->config = parsed.config;
	if (parsed.type == PERF_TYPE_RAW)
		return true;
	event->config |= (uint64_t)event->type << PMU_SHIFT;
	event->type = parsed.type;
	return true;
}
