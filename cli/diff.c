// SPDX-License-Identifier: GPL-2.0-only
/* Two profiles, name by name. */
#include "diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool diff_is_sure(const struct diff_row *row)
{
	return row->interval.low > 0 || row->interval.high < 0;
}

bool diff_is_failure(const struct diff *diff, const struct diff_row *row)
{
	return diff->fail_above >= 0 && row->change * 100 > diff->fail_above && row->interval.low > 0;
}

static double share(const struct tprof_tally *part, const struct calls *whole)
{
	return whole->total.weight ? (double)part->weight / (double)whole->total.weight : 0;
}

static void compare_row(const struct diff *diff, struct diff_row *row)
{
	const struct calls *before = &diff->sides[0].calls, *after = &diff->sides[1].calls;

	row->shares[0] = share(&row->sums[0], before);
	row->shares[1] = share(&row->sums[1], after);
	row->change = row->shares[1] - row->shares[0];
	row->interval = interval_change(row->shares[0], before->total.samples, row->shares[1], after->total.samples);
}

static int by_change(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	double far_x = fabs(x->change), far_y = fabs(y->change);

	if (far_x != far_y)
		return far_x < far_y ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Closes the ranks. */
static void choose(struct diff *diff, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct diff_row row = diff->rows[i];
		const struct name *name = &diff->names.names[row.name];

		/* In what is in names themselves, most callers have nothing. */
		if (!row.sums[0].weight && !row.sums[1].weight)
			continue;
		diff->nr_failed += diff_is_failure(diff, &row);
		if ((!diff->limit || diff->nr < diff->limit) &&
		    (!diff->filter || strstr(name->text, diff->filter) || strstr(name->object, diff->filter))) {
			diff->rows[diff->nr++] = row;
			continue;
		}
		diff->largest_hidden = fmax(diff->largest_hidden, fabs(row.change));
		diff->nr_hidden++;
	}
}

/* The numbers of both sides are known when the names of both are. */
static int add_side(struct diff *diff, int side)
{
	struct calls_sum *sums = calls_sums(&diff->sides[side].calls, diff->names.nr);

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < diff->names.nr; i++)
		diff->rows[i].sums[side] = diff->by_total ? sums[i].total : sums[i].self;
	free(sums);
	return 0;
}

int diff_make(struct diff *diff)
{
	int err = 0;

	for (int side = 0; side < 2 && !err; side++)
		err = calls_open(&diff->sides[side].calls, diff->sides[side].profile, diff->group, &diff->names);
	if (err)
		return err;
	diff->rows = calloc(diff->names.nr + 1, sizeof(*diff->rows));
	if (!diff->rows || add_side(diff, 0) || add_side(diff, 1))
		return -ENOMEM;
	for (size_t i = 0; i < diff->names.nr; i++) {
		diff->rows[i].name = (uint32_t)i;
		compare_row(diff, &diff->rows[i]);
	}
	qsort(diff->rows, diff->names.nr, sizeof(*diff->rows), by_change);
	choose(diff, diff->names.nr);
	return 0;
}

void diff_fini(struct diff *diff)
{
	for (int side = 0; side < 2; side++) {
		calls_close(&diff->sides[side].calls);
		tprof_profile__free(diff->sides[side].profile);
	}
	names_fini(&diff->names);
	free(diff->rows);
}
