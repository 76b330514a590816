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

static json_t *branch(const struct report *report, const struct tree *tree)
{
	json_t *run = json_array(), *children = json_array(), *object;

	for (size_t i = 0; i < tree->nr_run; i++)
		run = json_and(run, json_with_name(json_object(), &report->names.names[tree->run[i]], report->group));
	for (size_t i = 0; i < tree->nr; i++)
		children = json_and(children, branch(report, &tree->children[i]));
	object = json_with(tally(report, &tree->sum), "run", run);
	object = json_with(object, "ended", tally(report, &tree->ended));
	object = json_with(object, "omitted", omitted(report, tree->nr_omitted, &tree->omitted));
	return json_with(object, "branches", children);
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

static json_t *row_object(const struct report *report, const struct report_row *row)
{
	json_t *object = json_with_name(json_object(), &report->names.names[row->name], report->group);
	const char *calls = report->calls_shown == REPORT_CALLERS ? "callers" : "callees";
	struct tree tree = { 0 };
	int err;

	object = json_with(object, "self", tally(report, &row->self));
	object = json_with(object, "total", tally(report, &row->total));
	if (report->nr_others)
		object = json_with(object, "values", values(report, row));
	if (report->calls_shown == REPORT_NONE)
		return object;
	err = report_tree(report, row, &tree);
	object = json_with(object, calls, err ? NULL : branch(report, &tree));
	tree_fini(&tree);
	return object;
}

static json_t *members(const struct report *report, json_t *rows)
{
	json_t *object = json_pack("{so ss so so so}", "input", json_of_text(profile_file_name(report->input)),
				   "group", report_group_name(report), "total", tally(report, &report->calls.total),
				   "rows", rows, "omitted", omitted(report, report->nr_hidden, &report->hidden));

	return report->nr_others ? json_with(object, "events", events(report)) : object;
}

int report_json(const struct report *report)
{
	char *summary = json_profile_summary(report->profile);
	json_t *rows = json_array();
	int err = summary ? 0 : -errno;

	if (!err)
		printf("{%s,", summary);
	free(summary);
	for (size_t i = 0; i < report->nr && rows && !err; i++)
		rows = json_and(rows, row_object(report, &report->rows[i]));
	if (err)
		json_decref(rows);
	else
		err = json_print_members(members(report, rows));
	if (!err)
		puts("}");
	return err;
}
