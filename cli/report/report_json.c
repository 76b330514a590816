// SPDX-License-Identifier: GPL-2.0-only
/* Writes a report as JSON according to docs/tprof-report.schema.json: summary with ledger, rows, trees. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/json_profile.h"
#include "calls/json_name.h"
#include "file/profile_file.h"
#include "report.h"

static json_t *tally(const struct report *report, const struct tprof_tally *sum)
{
	return json_pack("{so so so}", "samples", json_of_count(sum->samples), "weight", json_of_count(sum->weight),
			 "percent", json_of_decimal(report_percent(report, sum), 1000));
}

static json_t *omitted(const struct report *report, size_t nr, const struct tprof_tally *sum)
{
	return json_with(tally(report, sum), "count", json_of_count(nr));
}

/* Writes the beginning of an object, to which the caller adds another member and the brace. Frees @object. */
static int write_members(json_t *object)
{
	putchar('{');
	return json_print_members(object);
}

static json_t *run_of(const struct report *report, const struct tree *tree)
{
	json_t *run = json_array();

	for (size_t i = 0; i < tree->nr_run; i++)
		run = json_and(run, json_with_name(json_object(), &report->names.names[tree->run[i]], report->group));
	return run;
}

/* Writes a tree and frees its children as it goes, because all of them may not fit into memory. */
static int write_branch(const struct report *report, struct tree *tree, const struct tree_way *way)
{
	json_t *object = json_with(tally(report, &tree->sum), "run", run_of(report, tree));
	int err;

	object = json_with(object, "ended", tally(report, &tree->ended));
	object = json_with(object, "omitted", omitted(report, tree->nr_omitted, &tree->omitted));
	err = write_members(object);
	fputs(",\"branches\":[", stdout);
	for (size_t i = 0; i < tree->nr && !err; i++) {
		struct tree *child = &tree->children[i];

		if (i)
			putchar(',');
		err = tree_split(child, way);
		if (!err)
			err = write_branch(report, child, way);
		tree_fini(child);
	}
	fputs("]}", stdout);
	return err;
}

static json_t *event_tally(const struct report_event *other, const struct tprof_tally *sum)
{
	return json_pack("{so so so}", "samples", json_of_count(sum->samples), "weight", json_of_count(sum->weight),
			 "percent", json_of_decimal(report_event_percent(other, sum), 1000));
}

static json_t *event_object(const struct tprof_profile *profile, json_t *total)
{
	const struct tprof_info *info = tprof_profile__info(profile);

	return json_pack("{so so so}", "event", json_of_text(info->event), "unit", json_of_text(info->unit), "total",
			 total);
}

/* The events of the profile, the first one first. */
static json_t *events(const struct report *report)
{
	json_t *all = json_array();

	all = json_and(all, event_object(report->profile, tally(report, &report->calls.total)));
	for (size_t e = 0; e < report->nr_others; e++) {
		const struct report_event *other = &report->others[e];

		all = json_and(all, event_object(other->profile, event_tally(other, &other->total)));
	}
	return all;
}

/* The self sums of a row, by event. */
static json_t *values(const struct report *report, const struct report_row *row)
{
	json_t *all = json_array();

	all = json_and(all, tally(report, &row->self));
	for (size_t e = 0; e < report->nr_others; e++) {
		struct tprof_tally self = report_event_self(&report->others[e], row->name);

		all = json_and(all, event_tally(&report->others[e], &self));
	}
	return all;
}

static int write_tree(const struct report *report, const struct report_row *row)
{
	struct report_tree tree;
	int err = report_tree_open(&tree, report, row);

	printf(",\"%s\":", report->calls_shown == REPORT_CALLERS ? "callers" : "callees");
	if (!err)
		err = write_branch(report, &tree.root, &tree.way);
	report_tree_close(&tree);
	return err;
}

static int write_row(const struct report *report, const struct report_row *row)
{
	json_t *object = json_with_name(json_object(), &report->names.names[row->name], report->group);
	int err;

	object = json_with(object, "self", tally(report, &row->self));
	object = json_with(object, "total", tally(report, &row->total));
	if (report->nr_others)
		object = json_with(object, "values", values(report, row));
	err = write_members(object);
	if (!err && report->calls_shown != REPORT_NONE)
		err = write_tree(report, row);
	putchar('}');
	return err;
}

/* The members before the rows, and those after them. */
static json_t *first_members(const struct report *report)
{
	return json_pack("{so ss so}", "input", json_of_text(profile_file_name(report->input)), "group",
			 report_group_name(report), "total", tally(report, &report->calls.total));
}

static json_t *last_members(const struct report *report)
{
	json_t *object = json_pack("{so}", "omitted", omitted(report, report->nr_hidden, &report->hidden));

	return report->nr_others ? json_with(object, "events", events(report)) : object;
}

int report_json(const struct report *report)
{
	char *summary = json_profile_summary(report->profile);
	int err = summary ? 0 : -errno;

	if (!err) {
		printf("{%s,", summary);
		err = json_print_members(first_members(report));
		fputs(",\"rows\":[", stdout);
	}
	free(summary);
	for (size_t i = 0; i < report->nr && !err; i++) {
		if (i)
			putchar(',');
		err = write_row(report, &report->rows[i]);
	}
	if (!err) {
		fputs("],", stdout);
		err = json_print_members(last_members(report));
	}
	if (!err)
		puts("}");
	return err;
}
