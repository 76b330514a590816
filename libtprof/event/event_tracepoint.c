// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Tracepoints by name. */
#include "event_tracepoint.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Mount points of tracefs; the second is its location in older systems. */
static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* Tracepoint names are C identifiers. This also keeps '/' and ".." out of the path. */
static bool is_word(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	}
	return length;
}

/* Returns 0, or the -errno of fopen(3). */
static int read_id(const char *root, const char *name, size_t group_length, uint64_t *id)
{
	char path[PATH_MAX], line[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", root, (int)group_length, name, name + group_length + 1);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	*id = strtoull(line, NULL, 10);
	return *id ? 0 : -ENOENT;
}

int event_tracepoint_parse(struct event *event, const char *name, struct tprof_error *error)
{
	size_t group_length = strcspn(name, ":");
	bool mounted = false;

	if (!is_word(name, group_length) || !name[group_length] ||
	    !is_word(name + group_length + 1, strlen(name + group_length + 1))) {
		error_set(error, EINVAL, "event %s: not of the form GROUP:NAME", name);
		error_hint(error, "ls %s/events", roots[0]);
		return -EINVAL;
	}
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		char events[64];
		int err;

		event->type = PERF_TYPE_TRACEPOINT;
		err = read_id(roots[i], name, group_length, &event->config);
		if (!err)
			return 0;
		if (err == -EACCES || err == -EPERM) {
			error_set(error, EPERM, "event %s: only root may read the tracepoints", name);
			error_hint(error, "run it as root");
			return -EPERM;
		}
		snprintf(events, sizeof(events), "%s/events", roots[i]);
		mounted |= access(events, F_OK) == 0;
	}
	if (mounted) {
		error_set(error, ENOENT, "event %s: there is no tracepoint of this name", name);
		error_hint(error, "ls %s/events", roots[0]);
		return -ENOENT;
	}
	error_set(error, EOPNOTSUPP, "event %s: tracefs is not mounted", name);
	error_hint(error, "mount -t tracefs tracefs %s", roots[0]);
	return -EOPNOTSUPP;
}
