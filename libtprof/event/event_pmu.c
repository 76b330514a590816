// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Events of PMUs that sysfs describes. */
#include "event_pmu.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_core.h"

static int read_line(char *line, size_t size, const char *pmu, const char *dir, const char *file)
{
	char path[PATH_MAX];
	FILE *in;
	bool ok;

	if (snprintf(path, sizeof(path), EVENT_SYSFS "/%s%s%s/%s", pmu, dir[0] ? "/" : "", dir, file) >=
	    (int)sizeof(path))
		return -ENOENT;
	in = fopen(path, "re");
	if (!in)
		return -ENOENT;
	ok = fgets(line, (int)size, in);
	fclose(in);
	if (!ok)
		return -ENOENT;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

static uint64_t *config_word(struct event *event, const char *name, size_t length)
{
	if (length == strlen("config") && strncmp(name, "config", length) == 0)
		return &event->config;
	if (length == strlen("config1") && strncmp(name, "config1", length) == 0)
		return &event->config1;
	if (length == strlen("config2") && strncmp(name, "config2", length) == 0)
		return &event->config2;
	return NULL;
}

int event_pmu_place(struct event *event, const char *format, uint64_t value)
{
	uint64_t *word = config_word(event, format, strcspn(format, ":"));
	const char *at = strchr(format, ':');

	if (!word || !at)
		return -EINVAL;
	do {
		char *end;
		unsigned long first = strtoul(at + 1, &end, 10), last = first;

		if (end == at + 1)
			return -EINVAL;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last > 63 || first > last)
			return -EINVAL;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			*word = (*word & ~(1ULL << bit)) | (value & 1) << bit;
		at = end;
	} while (*at == ',');
	return value ? -ERANGE : 0;
}

int event_pmu_place_term(struct event *event, const char *pmu, const char *term, const char *format, uint64_t value,
			 struct tprof_error *error)
{
	int err = event_pmu_place(event, format, value);

	if (err == -ERANGE)
		return error_set(error, ERANGE, "event %s: the value %#llx does not fit into term %s of PMU %s (%s)",
				 event->name, (unsigned long long)value, term, pmu, format);
	if (!err)
		return 0;
	error_set(error, EINVAL,
		  "event %s: the kernel describes term %s of PMU %s in a form that tprof does not read: %s",
		  event->name, term, pmu, format);
	error_hint(error, "give the bits themselves: %s/config=NUMBER/", pmu);
	return -EINVAL;
}

static int place_term(struct event *event, const char *pmu, char *term, struct tprof_error *error)
{
	char *equals = strchr(term, '='), *end = "";
	char format[256];
	uint64_t value = 1;
	uint64_t *word;

	if (equals) {
		*equals = '\0';
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
		if (errno == ERANGE)
			return error_set(error, ERANGE, "event %s: the value of term %s is wider than 64 bits",
					 event->name, term);
	}
	if ((equals && end == equals + 1) || *end || !term[0] || strchr(term, '/'))
		return error_set(error, EINVAL, "event %s: the value of term %s is not a number", event->name, term);
	word = config_word(event, term, strlen(term));
	if (word) {
		*word = value;
		return 0;
	}
	if (read_line(format, sizeof(format), pmu, "format", term))
		return error_set(error, ENOENT, "event %s: PMU %s has no term %s", event->name, pmu, term);
	return event_pmu_place_term(event, pmu, term, format, value, error);
}

static int place_terms(struct event *event, const char *pmu, char *terms, struct tprof_error *error)
{
	char *rest = terms;
	int err = 0;

	for (char *term = strsep(&rest, ","); term && !err; term = strsep(&rest, ","))
		err = place_term(event, pmu, term, error);
	return err;
}

int event_pmu_parse(struct event *event, const char *name, struct tprof_error *error)
{
	char copy[sizeof(event->name)], line[512];
	char *terms, *end;

	snprintf(copy, sizeof(copy), "%s", name);
	terms = strchr(copy, '/');
	end = terms ? strchr(terms + 1, '/') : NULL;
	if (!end || end[1] || terms == copy || copy[0] == '.')
		return error_set(error, EINVAL, "event %s: not of the form pmu/term=value,.../", name);
	*terms++ = '\0';
	*end = '\0';
	if (read_line(line, sizeof(line), copy, "", "type")) {
		error_set(error, ENOENT, "event %s: this machine has no PMU %s", name, copy);
		error_hint(error, "ls " EVENT_SYSFS);
		return -ENOENT;
	}
	event->type = (uint32_t)strtoul(line, NULL, 10);
	if (event_is_core_pmu(EVENT_SYSFS, copy))
		event->core_pmu = event->type;
	if (!strchr(terms, '=') && !strchr(terms, ',')) {
		if (read_line(line, sizeof(line), copy, "events", terms) == 0)
			return place_terms(event, copy, line, error);
		if (event->core_pmu && event_parse_of_core(event, terms))
			return 0;
	}
	return place_terms(event, copy, terms, error);
}
