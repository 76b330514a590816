// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a report: self and total sums of each name. */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_tally(struct tprof_tally *sum, const struct tprof_tally *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
}

static int compare(const struct tprof_tally *a, const struct tprof_tally *b)
{
	return (a->weight < b->weight) - (a->weight > b->weight);
}

static int by_self(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	int order = compare(&x->self, &y->self);

	if (!order)
		order = compare(&x->total, &y->total);
	return order ? order : (x->name > y->name) - (x->name < y->name);
}

static int by_total(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;
	int order = compare(&x->total, &y->total);

	return order ? order : by_self(a, b);
}

const char *report_group_name(const struct report *report)
{
	if (report->group == TPROF_GROUP_PROCESS && report->read.owner == TPROF_OWNER_THREAD)
		return "thread";
	if (report->group == TPROF_GROUP_PROCESS && report->read.owner == TPROF_OWNER_CPU)
		return "cpu";
	return tprof_group__name(report->group);
}

double report_percent(const struct report *report, const struct tprof_tally *part)
{
	uint64_t whole = report->calls.total.weight;

	return whole ? 100.0 * (double)part->weight / (double)whole : 0;
}

static bool is_wanted(const struct report *report, const struct report_row *row)
{
	const struct name *name = &report->names.names[row->name];
	const struct tprof_tally *by = report->by_total ? &row->total : &row->self;

	if (report->filter && !strstr(name->text, report->filter) && !strstr(name->object, report->filter))
		return false;
	if (report->needle && !needle_is_in(report->needle, name->text) &&
	    !needle_is_in(report->needle, name->object))
		return false;
	return report_percent(report, by) >= report->percent_limit;
}

/* Rows that are not shown are summed up in report->hidden. */
void report_choose(struct report *report)
{
	report->nr = report->nr_hidden = 0;
	report->hidden = (struct tprof_tally){ 0 };
	qsort(report->all, report->nr_all, sizeof(*report->all), report->by_total ? by_total : by_self);
	for (size_t i = 0; i < report->nr_all; i++) {
		const struct report_row *row = &report->all[i];

		if (is_wanted(report, row) && (!report->limit || report->nr < report->limit)) {
			report->rows[report->nr++] = *row;
			continue;
		}
		add_tally(&report->hidden, &row->self);
		report->nr_hidden++;
	}
}

int report_make(struct report *report)
{
	int err = calls_open(&report->calls, report->profile, report->group, &report->names);
	struct calls_sum *sums;
	size_t nr;

	if (!err)
		err = calls_merge(&report->calls);
	if (!err)
		err = report_events_add_up(report);
	sums = err ? NULL : calls_sums(&report->calls, report->names.nr);
	nr = report->names.nr;
	report->all = calloc(nr + 1, sizeof(*report->all));
	report->rows = calloc(nr + 1, sizeof(*report->rows));
	if (!sums || !report->all || !report->rows) {
		free(sums);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++) {
		if (sums[i].total.samples || sums[i].total.weight || report_events_have(report, (uint32_t)i))
			report->all[report->nr_all++] = (struct report_row){ (uint32_t)i, sums[i].self, sums[i].total };
	}
	free(sums);
	report_choose(report);
	return report->calls_shown == REPORT_NONE ? 0 : calls_index(&report->calls, nr);
}

void report_fini(struct report *report)
{
	free(report->all);
	free(report->rows);
	report->all = report->rows = NULL;
	report->nr_all = report->nr = report->nr_hidden = 0;
	calls_close(&report->calls);
	report_events_forget(report);
	names_fini(&report->names);
}

int report_tree_open(struct report_tree *tree, const struct report *report, const struct report_row *row)
{
	double limit = report->percent_limit / 100 * (double)report->calls.total.weight;
	int step = report->calls_shown == REPORT_CALLERS ? 1 : -1, err;
	size_t nr;

	*tree = (struct report_tree){ .way = { step, (uint64_t)limit } };
	tree->stacks = calls_through(&report->calls, row->name, step, &nr);
	if (!tree->stacks)
		return -ENOMEM;
	err = tree_start(&tree->root, tree->stacks, nr);
	return err ? err : tree_split(&tree->root, &tree->way);
}

void report_tree_close(struct report_tree *tree)
{
	tree_fini(&tree->root);
	free(tree->stacks);
	tree->stacks = NULL;
}
