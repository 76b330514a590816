// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The lists that the kernel module exports in debugfs, and the sources that are registered with its device. */
#include "module_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"
#include "kmod_device.h"
#include "probe.h"

#define DEBUGFS "/sys/kernel/debug"

static const char *const lists[] = { "sources", "sessions", "filters" };
#define NR_LISTS (sizeof(lists) / sizeof(lists[0]))

/* Splits off one line; NULL at the end of the text. */
static char *next_line(char **text)
{
	char *line = *text;

	if (!line || !*line)
		return NULL;
	*text = strchr(line, '\n');
	if (*text)
		*(*text)++ = '\0';
	return line;
}

/*
 * Splits a line at tabs and cleans the parts, as processes choose their own names. Returns the number of parts, at most
 * @max; the rest of the line is dropped.
 */
static size_t split(char *line, const char **parts, size_t max)
{
	size_t nr = 0;

	while (line && nr < max) {
		char *part = strsep(&line, "\t");

		utf8_clean(part);
		parts[nr++] = part;
	}
	return nr;
}

int module_list_parse(char *text, int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx)
{
	const char *names[MODULE_LIST_COLUMNS_MAX], *values[MODULE_LIST_COLUMNS_MAX];
	struct tprof_listing listing = { .names = names, .values = values };
	char *line = next_line(&text);
	int stop = 0;

	if (line)
		listing.nr = split(line, names, MODULE_LIST_COLUMNS_MAX);
	while (!stop && (line = next_line(&text))) {
		size_t nr = split(line, values, listing.nr);

		while (nr < listing.nr)
			values[nr++] = "";
		stop = fn(ctx, &listing);
	}
	return stop;
}

const char *tprof_listing__value(const struct tprof_listing *line, const char *name)
{
	for (size_t i = 0; i < line->nr; i++) {
		if (strcmp(line->names[i], name) == 0)
			return line->values[i];
	}
	return "";
}

static int explain(int err, const char *list, struct tprof_error *error)
{
	if (access("/sys/module/tprof", F_OK)) {
		error_set(error, ENODEV, "%s: only the kernel module has this list, and it is not loaded", list);
		error_hint(error, "tprof doctor");
		return -ENODEV;
	}
	if (err == EACCES || err == EPERM) {
		error_set(error, EPERM, "%s: only root may see the sessions of other users", list);
		error_hint(error, "run it as root");
		return -EPERM;
	}
	if (err == ENOENT) {
		error_set(error, EOPNOTSUPP, "%s: the module's lists are not in " DEBUGFS, list);
		error_hint(error, "mount -t debugfs debugfs " DEBUGFS);
		return -EOPNOTSUPP;
	}
	return error_set(error, err, "%s: " DEBUGFS "/tprof/%s cannot be read: %s", list, list, strerror(err));
}

/* Returns NULL and sets errno on failure. An empty file returns an empty text. */
static char *read_all(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	errno = 0;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = errno ? NULL : strdup("");
	}
	fclose(file);
	return text;
}

/* One line for each registered source, whether or not a session uses it. */
static int each_registered(int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx, int device)
{
	static const char *const names[] = { "source", "min_period", "max_period", "count_only", "attr" };
	struct tprof_source_info source = { .size = sizeof(source) };
	char min[24], max[24];
	const char *values[] = { source.name, min, max, "", "" };
	const struct tprof_listing line = { .nr = sizeof(names) / sizeof(names[0]), .names = names, .values = values };
	int stop = 0;

	while (!stop && (stop = kmod_call(device, TPROF_IOC_SOURCE, &source)) == 0) {
		source.name[sizeof(source.name) - 1] = '\0';
		snprintf(min, sizeof(min), "%llu", (unsigned long long)source.min_period);
		snprintf(max, sizeof(max), "%llu", (unsigned long long)source.max_period);
		values[3] = source.flags & TPROF_SOURCE_CAN_COUNT ? "yes" : "no";
		values[4] = source.flags & TPROF_SOURCE_HAS_ATTR ? "yes" : "no";
		stop = fn(ctx, &line);
		source.index++;
	}
	return stop == -ENOENT ? 0 : stop;
}

static int list_registered(int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx,
			   struct tprof_error *error)
{
	int device = kmod_open(), stop;

	if (device < 0) {
		struct finding finding = { 0 };

		if (device == -ENOENT)
			return explain(ENOENT, "sources", error);
		probe_module(&finding);
		error_set(error, finding.err, "sources: %s", finding.text);
		finding_advise(&finding, error);
		return device == -EACCES ? -EPERM : device;
	}
	stop = each_registered(fn, ctx, device);
	close(device);
	return stop;
}

int tprof_module__each(const char *list, int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx,
		       struct tprof_error *error)
{
	char path[64];
	char *text;
	size_t i;
	int stop;

	if (strcmp(list, "registered") == 0)
		return list_registered(fn, ctx, error);
	for (i = 0; i < NR_LISTS && strcmp(lists[i], list) != 0; i++)
		;
	if (i == NR_LISTS)
		return error_set(error, EINVAL, "%s: the module has no such list", list);
	snprintf(path, sizeof(path), DEBUGFS "/tprof/%s", list);
	text = read_all(path);
	if (!text)
		return explain(errno, list, error);
	stop = module_list_parse(text, fn, ctx);
	free(text);
	return stop;
}
