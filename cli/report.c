// SPDX-License-Identifier: GPL-2.0-only
/* Rows of a report: what is in each name itself, and in what it called. */
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
	return report_percent(report, by) >= report->percent_limit;
}

/* Closes the ranks; what is not shown is summed up. */
static void choose(struct report *report, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct report_row *row = &report->rows[i];

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
	struct calls_sum *sums = err ? NULL : calls_sums(&report->calls, report->names.nr);
	size_t nr = report->names.nr;

	report->rows = calloc(nr + 1, sizeof(*report->rows));
	if (!sums || !report->rows) {
		free(sums);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		report->rows[i] = (struct report_row){ (uint32_t)i, sums[i].self, sums[i].total };
	free(sums);
	qsort(report->rows, nr, sizeof(*report->rows), report->by_total ? by_total : by_self);
	choose(report, nr);
	return 0;
}

void report_fini(struct report *report)
{
	free(report->rows);
	calls_close(&report->calls);
	names_fini(&report->names);
}

/* Where the name is in a stack: next to the leaf for its callers, next to the root for its callees; -1: nowhere. */
static long find(const struct calls_stack *stack, uint32_t name, bool callers)
{
	long found = -1;

	for (size_t i = 0; i < stack->nr; i++) {
		if (stack->names[i] != name)
			continue;
		found = (long)i;
		if (callers)
			break;
	}
	return found;
}

int report_tree(const struct report *report, const struct report_row *row, struct tree *tree)
{
	bool callers = report->calls_shown == REPORT_CALLERS;
	struct calls_at *stacks = calloc(report->calls.nr + 1, sizeof(*stacks));
	double limit = report->percent_limit / 100 * (double)report->calls.total.weight;
	size_t nr = 0;
	int err;

	*tree = (struct tree){ 0 };
	if (!stacks)
		return -ENOMEM;
	for (size_t i = 0; i < report->calls.nr; i++) {
		long at = find(&report->calls.stacks[i], row->name, callers);

		if (at >= 0)
			stacks[nr++] = (struct calls_at){ &report->calls.stacks[i], (size_t)at };
	}
	err = tree_build(tree, stacks, nr, callers ? 1 : -1, (uint64_t)limit);
	free(stacks);
	return err;
}
