// SPDX-License-Identifier: GPL-2.0-only
/* Makes the rows of the view from a profile: groups, filters, sorts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "top_view.h"

const char *view_sort_name(enum view_sort sort)
{
	static const char *const names[] = {
#define X(NAME, name) name,
		VIEW_SORTS(X)
#undef X
	};

	return names[sort];
}

const char *row_name(const struct tprof_entry *entry, enum tprof_group group)
{
	const char *name = entry->symbol;

	if (group == TPROF_GROUP_PROCESS)
		name = entry->comm;
	else if (group == TPROF_GROUP_OBJECT)
		name = entry->object;
	else if (group == TPROF_GROUP_CGROUP)
		name = entry->cgroup;
	return name[0] ? name : entry->symbol;
}

const char *row_text(const struct tprof_entry *entry, enum tprof_group group, char *text, size_t size)
{
	const char *name = row_name(entry, group), *mark = entry->inlined ? " (inlined)" : "";
	const char *slash = strrchr(entry->file, '/');

	if (group == TPROF_GROUP_PROCESS && entry->pid >= 0)
		snprintf(text, size, "%s (%d)", name, (int)entry->pid);
	else if (group == TPROF_GROUP_LINE && entry->line)
		snprintf(text, size, "%s%s %s:%u", name, mark, slash ? slash + 1 : entry->file, entry->line);
	else
		snprintf(text, size, "%s%s", name, mark);
	return text;
}

static bool matches(const struct tprof_entry *entry, const struct view *view)
{
	return needle_is_in(&view->needle, row_name(entry, view->group)) ||
	       needle_is_in(&view->needle, entry->object) || needle_is_in(&view->needle, entry->file) ||
	       needle_is_in(&view->needle, entry->comm);
}

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/*
 * Equal rows keep the order of the profile, which is by weight. The sort of glibc is not always stable, so the weight
 * is compared as well.
 */
static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct tprof_entry *a = *(const struct tprof_entry *const *)pa;
	const struct tprof_entry *b = *(const struct tprof_entry *const *)pb;
	const struct view *view = ctx;
	int order = 0;

	if (view->sort == VIEW_SORT_SAMPLES)
		order = more_first(a->samples, b->samples);
	else if (view->sort == VIEW_SORT_NAME)
		order = strcasecmp(row_name(a, view->group), row_name(b, view->group));
	else if (view->sort == VIEW_SORT_PID)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	return order ? order : more_first(a->weight, b->weight);
}

static int rows_reserve(struct rows *rows, size_t nr)
{
	const struct tprof_entry **more = grow_array(rows->entries, nr, &rows->capacity, sizeof(*more));

	if (!more)
		return -ENOMEM;
	rows->entries = more;
	return 0;
}

int rows_fill(struct rows *rows, const struct tprof_profile *profile, const struct view *view)
{
	size_t nr;

	rows->nr = 0;
	tprof_profile__free(rows->grouped);
	rows->grouped = tprof_profile__group(profile, view->group);
	if (!rows->grouped)
		return -errno;
	nr = tprof_profile__nr_entries(rows->grouped);
	if (rows_reserve(rows, nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct tprof_entry *entry = tprof_profile__entry(rows->grouped, i);

		if (matches(entry, view))
			rows->entries[rows->nr++] = entry;
	}
	if (view->sort != VIEW_SORT_WEIGHT)
		qsort_r(rows->entries, rows->nr, sizeof(*rows->entries), compare, (void *)view);
	if (view->limit && rows->nr > view->limit)
		rows->nr = view->limit;
	return 0;
}

void rows_free(struct rows *rows)
{
	tprof_profile__free(rows->grouped);
	free(rows->entries);
	*rows = (struct rows){ 0 };
}
