// SPDX-License-Identifier: GPL-2.0-only
/* Writes the comparison as text, and as JSON according to docs/tprof-diff.schema.json. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "base/json_profile.h"
#include "calls/json_name.h"
#include "diff.h"

static int put_side(const struct diff_side *side, const char *what)
{
	TPROF_OPTS(tprof_export_opts, summary, .summary = true);

	printf("# %s: %s\n", what, side->path);
	if (fflush(stdout))
		return -errno;
	return tprof_profile__export(side->profile, "text", STDOUT_FILENO, &summary);
}

static void put_row(const struct diff *diff, const struct diff_row *row)
{
	const struct name *name = &diff->names.names[row->name];

	printf("%6.2f%% %6.2f%% %+7.2f  %+7.2f %+7.2f  %s  ", 100 * row->shares[0], 100 * row->shares[1],
	       100 * row->change, 100 * row->interval.low, 100 * row->interval.high,
	       diff_is_failure(diff, row) ? "!" : diff_is_sure(row) ? "*" : " ");
	if (names_are_functions(diff->group))
		printf("%-7s  %s%s%s\n", name_mode(name), name->text, name->object[0] ? "  " : "",
		       name->object);
	else if (name->pid >= 0)
		printf("%s (%d)\n", name->text, name->pid);
	else
		puts(name->text);
}

int diff_text(const struct diff *diff)
{
	int err = put_side(&diff->sides[0], "before");

	if (!err)
		err = put_side(&diff->sides[1], "after");
	if (err)
		return err;
	printf("%7s %7s %7s  %15s     %s%s\n", "before", "after", "points", "95% interval",
	       names_are_functions(diff->group) ? "mode     " : "", tprof_group__name(diff->group));
	for (size_t i = 0; i < diff->nr; i++)
		put_row(diff, &diff->rows[i]);
	if (diff->nr_hidden)
		printf("# and %zu more, which changed by at most %.2f points\n", diff->nr_hidden,
		       100 * diff->largest_hidden);
	return 0;
}

static json_t *tally(const struct tprof_tally *sum, double share)
{
	return json_pack("{so so so}", "samples", json_of_count(sum->samples), "weight", json_of_count(sum->weight),
			 "percent", json_of_decimal(100 * share, 10000));
}

static json_t *row_object(const struct diff *diff, const struct diff_row *row)
{
	json_t *object = json_with_name(json_object(), &diff->names.names[row->name], diff->group);

	object = json_with(object, "before", tally(&row->sums[0], row->shares[0]));
	object = json_with(object, "after", tally(&row->sums[1], row->shares[1]));
	object = json_with(object, "points", json_of_decimal(100 * row->change, 10000));
	object = json_with(object, "low", json_of_decimal(100 * row->interval.low, 10000));
	object = json_with(object, "high", json_of_decimal(100 * row->interval.high, 10000));
	object = json_with(object, "sure", json_boolean(diff_is_sure(row)));
	return json_with(object, "failed", json_boolean(diff_is_failure(diff, row)));
}

static int put_side_json(const struct diff_side *side, const char *name)
{
	char *summary = json_profile_summary(side->profile);
	int err = summary ? 0 : -errno;

	if (err)
		return err;
	printf(",\"%s\":{%s,", name, summary);
	free(summary);
	err = json_print_members(json_pack("{so}", "total",
					   tally(&side->calls.total, side->calls.total.weight ? 1 : 0)));
	putchar('}');
	return err;
}

int diff_json(const struct diff *diff)
{
	json_t *rows = json_array();
	int err;

	for (size_t i = 0; i < diff->nr && rows; i++)
		rows = json_and(rows, row_object(diff, &diff->rows[i]));
	putchar('{');
	err = json_print_members(json_pack("{si ss ss}", "version", 1, "group", tprof_group__name(diff->group),
					   "share", diff->by_total ? "total" : "self"));
	if (!err)
		err = put_side_json(&diff->sides[0], "before");
	if (!err)
		err = put_side_json(&diff->sides[1], "after");
	putchar(',');
	if (err)
		json_decref(rows);
	else
		err = json_print_members(json_pack("{so so so}", "rows", rows,
						   "hidden", json_of_count(diff->nr_hidden),
						   "failed", json_of_count(diff->nr_failed)));
	puts("}");
	return err;
}
