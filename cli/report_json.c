// SPDX-License-Identifier: GPL-2.0-only
/* A report as JSON, which docs/tprof-report.schema.json describes: the account of the profile, rows, trees. */
#include <errno.h>
#include <stdio.h>

#include "json.h"
#include "json_name.h"
#include "json_profile.h"
#include "report.h"

static struct json_object *tally(const struct report *report, const struct tprof_tally *sum)
{
	struct json_object *object = json_object_new_object();
	char text[32];

	snprintf(text, sizeof(text), "%.3f", report_percent(report, sum));
	json_object_object_add(object, "samples", json_object_new_uint64(sum->samples));
	json_object_object_add(object, "weight", json_object_new_uint64(sum->weight));
	json_object_object_add(object, "percent", json_object_new_double_s(report_percent(report, sum), text));
	return object;
}

static struct json_object *omitted(const struct report *report, size_t nr, const struct tprof_tally *sum)
{
	struct json_object *object = tally(report, sum);

	json_set_number(object, "count", (int64_t)nr);
	return object;
}

static struct json_object *branch(const struct report *report, const struct tree *tree)
{
	struct json_object *object = tally(report, &tree->sum), *run = json_object_new_array();
	struct json_object *children = json_object_new_array();

	for (size_t i = 0; i < tree->nr_run; i++) {
		struct json_object *name = json_object_new_object();

		json_set_name(name, &report->names.names[tree->run[i]], report->group);
		json_object_array_add(run, name);
	}
	for (size_t i = 0; i < tree->nr; i++)
		json_object_array_add(children, branch(report, &tree->children[i]));
	json_object_object_add(object, "run", run);
	json_object_object_add(object, "ended", tally(report, &tree->ended));
	json_object_object_add(object, "omitted", omitted(report, tree->nr_omitted, &tree->omitted));
	json_object_object_add(object, "branches", children);
	return object;
}

static int add_row(const struct report *report, const struct report_row *row, struct json_object *rows)
{
	struct json_object *object = json_object_new_object();
	struct tree tree = { 0 };
	int err = 0;

	json_set_name(object, &report->names.names[row->name], report->group);
	json_object_object_add(object, "self", tally(report, &row->self));
	json_object_object_add(object, "total", tally(report, &row->total));
	json_object_array_add(rows, object);
	if (report->calls_shown == REPORT_NONE)
		return 0;
	err = report_tree(report, row, &tree);
	if (!err)
		json_object_object_add(object, report->calls_shown == REPORT_CALLERS ? "callers" : "callees",
				       branch(report, &tree));
	tree_fini(&tree);
	return err;
}

int report_json(const struct report *report)
{
	struct json_object *object = json_profile_summary(report->profile), *rows;
	int err = 0;

	if (!object)
		return -errno;
	rows = json_object_new_array();
	json_set_text(object, "group", report_group_name(report));
	json_object_object_add(object, "total", tally(report, &report->calls.total));
	json_object_object_add(object, "rows", rows);
	for (size_t i = 0; i < report->nr && !err; i++)
		err = add_row(report, &report->rows[i], rows);
	json_object_object_add(object, "omitted", omitted(report, report->nr_hidden, &report->hidden));
	if (err)
		json_object_put(object);
	else
		json_print(object);
	return err;
}
