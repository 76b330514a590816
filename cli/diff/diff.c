// SPDX-License-Identifier: GPL-2.0-only
/* Compares two profiles name by name. */
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

/* Effective sample size from sums per stack. Samples of a stack are assumed equal, so the result is an upper bound. */
static double nr_by_stacks(const struct calls *calls)
{
	double weight = (double)calls->total.weight, squares = 0;

	for (size_t i = 0; i < calls->nr; i++) {
		double of_stack = (double)calls->stacks[i].weight, nr = (double)calls->stacks[i].samples;

		squares += of_stack * of_stack / fmax(nr, 1);
	}
	return squares > 0 ? weight * weight / squares : 0;
}

/*
 * The total weight divided by the final period, as a fraction of the number of samples. With an adaptive rate, the
 * period may start at 1, and many samples have a negligible weight. Uses the weights in the ledger, because a filter
 * may count other weights.
 */
static double part_by_period(const struct tprof_profile *profile)
{
	const struct tprof_ledger *ledger = tprof_profile__ledger(profile);
	const struct tprof_tally *done = &ledger->outcomes[TPROF_OUTCOME_DONE],
				 *kept = &ledger->outcomes[TPROF_OUTCOME_KEPT];
	double period = (double)tprof_profile__info(profile)->period;
	double equal = period * ((double)done->samples + (double)kept->samples);

	return equal > 0 ? fmin(((double)done->weight + (double)kept->weight) / equal, 1) : 1;
}

/* Effective sample size: (sum w)^2 / sum w^2 over the weights of samples. */
static double nr_equal(const struct diff_side *side)
{
	double nr = (double)side->calls.total.samples;

	return fmin(nr * part_by_period(side->profile), nr_by_stacks(&side->calls));
}

static void compare_row(const struct diff *diff, struct diff_row *row)
{
	const struct diff_side *before = &diff->sides[0], *after = &diff->sides[1];

	row->shares[0] = share(&row->sums[0], &before->calls);
	row->shares[1] = share(&row->sums[1], &after->calls);
	row->change = row->shares[1] - row->shares[0];
	row->interval = interval_change(row->shares[0], before->nr_equal, row->shares[1], after->nr_equal);
}

static int by_change(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	double far_x = fabs(x->change), far_y = fabs(y->change);

	if (far_x != far_y)
		return far_x < far_y ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

/* A function that only one of two programs has reached, for example. */
static bool is_asked(const struct diff *diff, const struct diff_row *row)
{
	return diff->only == DIFF_BOTH || (row->sums[diff->only].weight && !row->sums[!diff->only].weight);
}

/* Moves the rows to show to the front, and counts the others. */
static void choose(struct diff *diff, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct diff_row row = diff->rows[i];
		const struct name *name = &diff->names.names[row.name];

		/* Most callers have no self weight. */
		if ((!row.sums[0].weight && !row.sums[1].weight) || !is_asked(diff, &row))
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

/* Call it once the names of both sides are known. */
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
	for (int side = 0; side < 2; side++)
		diff->sides[side].nr_equal = nr_equal(&diff->sides[side]);
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
