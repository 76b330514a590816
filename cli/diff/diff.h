/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparison of `tprof diff`, and its two output formats. */
#ifndef TPROF_DIFF_H
#define TPROF_DIFF_H

#include "calls/calls.h"
#include "interval.h"

/* One of the two profiles. */
struct diff_side {
	const char *path;
	struct tprof_profile *profile;
	struct calls calls;
	double nr_equal;	/* effective sample size; 0: unknown */
};

struct diff_row {
	uint32_t name;
	struct tprof_tally sums[2];	/* before, after */
	double shares[2];		/* of the weight, 0 to 1 */
	double change;			/* of the share */
	struct interval interval;	/* of the change */
};

/* Rows of both sides, or those that only one of them has. */
enum diff_only { DIFF_BOTH = -1, DIFF_ONLY_BEFORE, DIFF_ONLY_AFTER };

struct diff {
	struct tprof_read_opts read;	/* of both sides: --value */
	enum tprof_group group;
	bool by_total;
	const char *filter;		/* only rows whose name or object contains this, or NULL */
	int only;			/* enum diff_only */
	uint64_t limit;			/* rows; 0: all */
	double fail_above;		/* percentage points; below 0: never */
	bool json;
	struct diff_side sides[2];	/* before, after */
	struct names names;
	struct diff_row *rows;		/* the shown rows, largest change first */
	size_t nr, nr_hidden;
	double largest_hidden;
	size_t nr_failed;		/* rows that fail, whether shown or not */
};

/* Fills rows from the profiles of both sides. Returns 0 or -ENOMEM. */
int diff_make(struct diff *diff);
void diff_fini(struct diff *diff);

/* The change is significant: its interval excludes 0. */
bool diff_is_sure(const struct diff_row *row);
/* The share grew significantly, and by more than fail_above. */
bool diff_is_failure(const struct diff *diff, const struct diff_row *row);

/* Write to stdout. Return 0 or -errno. */
int diff_text(const struct diff *diff);
int diff_json(const struct diff *diff);

#endif
