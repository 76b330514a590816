// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Search path of filters: $TPROF_FILTER_PATH, beside the program, the installed directory. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"

#ifndef TPROF_FILTER_DIR
#define TPROF_FILTER_DIR "/usr/local/lib/tprof/filters"
#endif

#define SUFFIX ".bpf.o"

/* filters/ beside the running program: for a build tree that is not installed. */
static void beside_program(char *dir, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	dir[length > 0 ? length : 0] = '\0';
	slash = strrchr(dir, '/');
	if (slash)
		snprintf(slash, size - (size_t)(slash - dir), "/filters");
}

/* Calls fn with each directory in order, until it returns a value other than 0. */
static int each_dir(int (*fn)(void *ctx, const char *dir), void *ctx)
{
	const char *list = getenv("TPROF_FILTER_PATH");
	char dir[PATH_MAX];
	int stop = 0;

	while (!stop && list && *list) {
		size_t length = strcspn(list, ":");

		snprintf(dir, sizeof(dir), "%.*s", (int)length, list);
		if (length)
			stop = fn(ctx, dir);
		list += length + (list[length] == ':');
	}
	if (stop)
		return stop;
	beside_program(dir, sizeof(dir));
	stop = fn(ctx, dir);
	return stop ? stop : fn(ctx, TPROF_FILTER_DIR);
}

struct lookup {
	const char *name;
	char *path;
};

static int lookup_in(void *ctx, const char *dir)
{
	struct lookup *lookup = ctx;

	if (asprintf(&lookup->path, "%s/%s%s", dir, lookup->name, SUFFIX) < 0) {
		lookup->path = NULL;
		return -ENOMEM;
	}
	if (access(lookup->path, R_OK) == 0)
		return 1;
	free(lookup->path);
	lookup->path = NULL;
	return 0;
}

char *filter_find_path(const char *name)
{
	struct lookup lookup = { .name = name };
	size_t length = strlen(name);

	if (strchr(name, '/') || (length > 2 && strcmp(name + length - 2, ".o") == 0))
		return strdup(name);
	errno = each_dir(lookup_in, &lookup) < 0 ? ENOMEM : ENOENT;
	return lookup.path;
}

struct search {
	int (*fn)(void *ctx, const char *name, const char *path);
	void *ctx;
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_filter(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > strlen(SUFFIX) && strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static int search_in(void *ctx, const char *dir)
{
	struct search *search = ctx;
	struct dirent **entries;
	char name[NAME_MAX + 1], path[PATH_MAX];
	int stop = 0, nr = scandir(dir, &entries, is_filter, by_name);

	if (nr < 0)
		return 0;
	for (int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)(strlen(entries[i]->d_name) - strlen(SUFFIX)),
			 entries[i]->d_name);
		if (!stop && snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name) < (int)sizeof(path))
			stop = search->fn(search->ctx, name, path);
		free(entries[i]);
	}
	free(entries);
	return stop;
}

int tprof_filter__find(int (*fn)(void *ctx, const char *name, const char *path), void *ctx)
{
	struct search search = { .fn = fn, .ctx = ctx };

	return each_dir(search_in, &search);
}
