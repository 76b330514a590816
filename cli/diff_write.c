// SPDX-License-Identifier: GPL-2.0-only
/* A difference as text and as JSON, which docs/tprof-diff.schema.json describes. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "diff.h"
#include "json.h"
#include "json_name.h"
#include "json_profile.h"

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
		printf("%-7s  %s%s%s\n", tprof_mode__name(name->mode), name->text, name->object[0] ? "  " : "",
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
		printf("# and %zu more, which changed by %.2f points at most\n", diff->nr_hidden,
		       100 * diff->largest_hidden);
	return 0;
}

/* json-c writes 17 digits, which nobody wants to read. */
static void set_decimal(struct json_object *object, const char *name, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4f", number);
	json_object_object_add(object, name, json_object_new_double_s(number, text));
}

static struct json_object *tally(const struct tprof_tally *sum, double share)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "samples", json_object_new_uint64(sum->samples));
	json_object_object_add(object, "weight", json_object_new_uint64(sum->weight));
	set_decimal(object, "percent", 100 * share);
	return object;
}

static struct json_object *row_object(const struct diff *diff, const struct diff_row *row)
{
	struct json_object *object = json_object_new_object();

	json_set_name(object, &diff->names.names[row->name], diff->group);
	json_object_object_add(object, "before", tally(&row->sums[0], row->shares[0]));
	json_object_object_add(object, "after", tally(&row->sums[1], row->shares[1]));
	set_decimal(object, "points", 100 * row->change);
	set_decimal(object, "low", 100 * row->interval.low);
	set_decimal(object, "high", 100 * row->interval.high);
	json_set_bool(object, "sure", diff_is_sure(row));
	json_set_bool(object, "failed", diff_is_failure(diff, row));
	return object;
}

/* NULL and errno. */
static struct json_object *side_object(const struct diff_side *side)
{
	struct json_object *object = json_profile_summary(side->profile);

	if (object)
		json_object_object_add(object, "total", tally(&side->calls.total, side->calls.total.weight ? 1 : 0));
	return object;
}

int diff_json(const struct diff *diff)
{
	struct json_object *object = json_object_new_object(), *rows = json_object_new_array();
	struct json_object *before = side_object(&diff->sides[0]), *after = side_object(&diff->sides[1]);
	int err = before && after ? 0 : -errno;

	json_set_number(object, "version", 1);
	json_set_text(object, "group", tprof_group__name(diff->group));
	json_set_text(object, "share", diff->by_total ? "total" : "self");
	json_object_object_add(object, "before", before);
	json_object_object_add(object, "after", after);
	json_object_object_add(object, "rows", rows);
	for (size_t i = 0; i < diff->nr; i++)
		json_object_array_add(rows, row_object(diff, &diff->rows[i]));
	json_set_number(object, "hidden", (int64_t)diff->nr_hidden);
	json_set_number(object, "failed", (int64_t)diff->nr_failed);
	if (err)
		json_object_put(object);
	else
		json_print(object);
	return err;
}
