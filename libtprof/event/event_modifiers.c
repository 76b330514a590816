// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The modifiers of perf. */
#include "event_modifiers.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The precision of a PMU, 0 or more; the file is missing where the architecture has no precise addresses. */
#define PRECISIONS "/sys/bus/event_source/devices/*/caps/max_precise"
#define MAX_PRECISE 3		/* of perf_event_open(2) */

static int read_number(const char *path)
{
	FILE *in = fopen(path, "re");
	char line[16] = "";

	if (!in)
		return -1;
	if (!fgets(line, sizeof(line), in))
		line[0] = '\0';
	fclose(in);
	return atoi(line);
}

/* The largest precision of a PMU of this machine; -1: none has any. */
static int most_precise(void)
{
	int most = -1;
	glob_t found;

	if (glob(PRECISIONS, 0, NULL, &found))
		return most;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int number = read_number(found.gl_pathv[i]);

		if (number > most)
			most = number;
	}
	globfree(&found);
	return most;
}

/* Of each set of modifiers, those that are given are counted, and the others left out. */
static uint8_t excluded(const char *modifiers)
{
	static const struct {
		char modifier;
		const char *set;
		uint8_t exclude;
	} all[] = {
		{ 'u', "ukh", EVENT_EXCLUDE_USER }, { 'k', "ukh", EVENT_EXCLUDE_KERNEL },
		{ 'h', "ukh", EVENT_EXCLUDE_HYPERVISOR },
		{ 'G', "GH", EVENT_EXCLUDE_GUEST }, { 'H', "GH", EVENT_EXCLUDE_HOST },
	};
	uint8_t exclude = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strpbrk(modifiers, all[i].set) && !strchr(modifiers, all[i].modifier))
			exclude |= all[i].exclude;
	}
	return exclude;
}

static int take_precision(struct event *event, const char *modifiers, struct tprof_error *error)
{
	int wanted = 0, most;

	for (const char *at = modifiers; *at; at++)
		wanted += *at == 'p';
	if (!wanted && !strchr(modifiers, 'P'))
		return 0;
	if (wanted > MAX_PRECISE) {
		error_set(error, EINVAL, "event %s: there are at most three p", event->name);
		error_hint(error, "use P for as precise as the machine can");
		return -EINVAL;
	}
	most = most_precise();
	if (!wanted) {
		event->precise = (uint8_t)(most < 0 ? 0 : most);
		return 0;
	}
	if (event->type == PERF_TYPE_SOFTWARE) {
		error_set(error, EINVAL, "event %s: events of the kernel have no precise addresses", event->name);
		error_hint(error, "leave p out");
		return -EINVAL;
	}
	/* Where a PMU has precise addresses, the kernel decides: other PMUs may do its work. */
	if (most < 0) {
		error_set(error, EOPNOTSUPP, "event %s: no PMU of this machine records precise addresses", event->name);
		error_hint(error, "leave p out: addresses are then those of the interrupt, some instructions later");
		return -EOPNOTSUPP;
	}
	event->precise = (uint8_t)wanted;
	return 0;
}

int event_modifiers_apply(struct event *event, const char *modifiers, struct tprof_error *error)
{
	const char *unknown = modifiers + strspn(modifiers, "ukhGHpP");

	if (!modifiers[0]) {
		error_set(error, EINVAL, "event %s: no modifier follows", event->name);
		error_hint(error, "the modifiers are u, k, h, G, H, p and P; man tprof-list");
		return -EINVAL;
	}
	if (*unknown) {
		error_set(error, EINVAL, "event %s: the modifier %c is not supported", event->name, *unknown);
		error_hint(error, "the modifiers are u, k, h, G, H, p and P; man tprof-list");
		return -EINVAL;
	}
	if (event->type == PERF_TYPE_SOFTWARE && strpbrk(modifiers, "GH")) {
		error_set(error, EINVAL, "event %s: only counters of the hardware tell guests from the host",
			  event->name);
		error_hint(error, "leave G and H out");
		return -EINVAL;
	}
	event->excludes = excluded(modifiers);
	return take_precision(event, modifiers, error);
}
