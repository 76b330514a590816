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

struct order {
	const struct view *view;
	const struct tprof_profile *profile;
};

/*
 * Equal rows are in the order of their weight, and otherwise of the profile, because the sort of glibc is not always
 * stable.
 */
static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct row *a = pa, *b = pb;
	const struct order *by = ctx;
	const struct view *view = by->view;
	struct tprof_tally of_a = tprof_profile__entry_value(by->profile, a->index, view->event);
	struct tprof_tally of_b = tprof_profile__entry_value(by->profile, b->index, view->event);
	int order = 0;

	if (view->sort == VIEW_SORT_SAMPLES)
		order = more_first(of_a.samples, of_b.samples);
	else if (view->sort == VIEW_SORT_NAME)
		order = strcasecmp(row_name(a->entry, view->group), row_name(b->entry, view->group));
	else if (view->sort == VIEW_SORT_PID)
		order = (a->entry->pid > b->entry->pid) - (a->entry->pid < b->entry->pid);
	if (!order)
		order = more_first(of_a.weight, of_b.weight);
	return order ? order : more_first(b->index, a->index);
}

static int rows_reserve(struct rows *rows, size_t nr)
{
	struct row *more = grow_array(rows->rows, nr, &rows->capacity, sizeof(*more));

	if (!more)
		return -ENOMEM;
	rows->rows = more;
	return 0;
}

struct tprof_tally row_value(const struct rows *rows, size_t row, size_t event)
{
	return tprof_profile__entry_value(rows->grouped, rows->rows[row].index, event);
}

double row_percent(const struct rows *rows, size_t row, size_t event)
{
	uint64_t whole = rows->whole[event];

	return whole ? 100.0 * (double)row_value(rows, row, event).weight / (double)whole : 0;
}

int rows_fill(struct rows *rows, const struct tprof_profile *profile, const struct view *view)
{
	struct order order = { .view = view };
	size_t nr;

	rows->nr = 0;
	tprof_profile__free(rows->grouped);
	rows->grouped = tprof_profile__group(profile, view->group);
	if (!rows->grouped)
		return -errno;
	nr = tprof_profile__nr_entries(rows->grouped);
	if (rows_reserve(rows, nr))
		return -ENOMEM;
	memset(rows->whole, 0, sizeof(rows->whole));
	for (size_t i = 0; i < nr; i++) {
		const struct tprof_entry *entry = tprof_profile__entry(rows->grouped, i);

		for (size_t e = 0; e < view->nr_events; e++)
			rows->whole[e] += tprof_profile__entry_value(rows->grouped, i, e).weight;
		if (matches(entry, view))
			rows->rows[rows->nr++] = (struct row){ entry, i };
	}
	order.profile = rows->grouped;
	if (view->sort != VIEW_SORT_WEIGHT || view->event)
		qsort_r(rows->rows, rows->nr, sizeof(*rows->rows), compare, &order);
	if (view->limit && rows->nr > view->limit)
		rows->nr = view->limit;
	return 0;
}

void rows_free(struct rows *rows)
{
	tprof_profile__free(rows->grouped);
	free(rows->rows);
	*rows = (struct rows){ 0 };
}
