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

static json_t *row_object(const struct report *report, const struct report_row *row)
{
	json_t *object = json_with_name(json_object(), &report->names.names[row->name], report->group);
	const char *calls = report->calls_shown == REPORT_CALLERS ? "callers" : "callees";
	struct tree tree = { 0 };
	int err;

	object = json_with(object, "self", tally(report, &row->self));
	object = json_with(object, "total", tally(report, &row->total));
	if (report->calls_shown == REPORT_NONE)
		return object;
	err = report_tree(report, row, &tree);
	object = json_with(object, calls, err ? NULL : branch(report, &tree));
	tree_fini(&tree);
	return object;
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
		err = json_print_members(json_pack("{so ss so so so}",
						   "input", json_of_text(profile_file_name(report->input)),
						   "group", report_group_name(report),
						   "total", tally(report, &report->calls.total), "rows", rows,
						   "omitted", omitted(report, report->nr_hidden, &report->hidden)));
	if (!err)
		puts("}");
	return err;
}
