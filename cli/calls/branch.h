/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call tree for interactive browsing. A branch is split only when it is opened, so the cost of a tree is proportional
 * to the visible part. No function here recurses, because a file may contain call stacks of any depth.
 */
#ifndef TPROF_BRANCH_H
#define TPROF_BRANCH_H

#include "calls.h"

enum branch_kind {
	BRANCH_CALLS,
	BRANCH_ENDED,		/* stacks that end here, next to branches that continue */
	BRANCH_OMITTED,		/* the sum of the branches below the limit */
};

struct branch {
	enum branch_kind kind;
	uint32_t name;
	int depth;			/* 0: the root; the branches of a run all have the depth of its first */
	struct tprof_tally sum;
	struct branch *parent;
	struct branch *children;	/* heaviest first; NULL: not split yet */
	size_t nr;
	size_t nr_omitted;
	struct calls_at *stacks;	/* that reach this branch; a slice of the stacks of the root */
	size_t nr_stacks;
	bool goes_on;			/* it has children, or will have when it is split */
	bool open;
};

/* How the branches of a tree are split. */
struct branch_way {
	int step;			/* as in calls_split() */
	uint64_t limit;			/* branches below this weight are summed up as omitted */
};

/* Makes the root: a name, with all stacks that contain it. 0 or -ENOMEM; call branch_fini() in any case. */
int branch_root(struct branch *root, const struct calls *calls, uint32_t name, const struct branch_way *way);
void branch_fini(struct branch *root);

/* Opens the branch, and continues as long as there is only one child. 0 or -ENOMEM. */
int branch_open(struct branch *branch, const struct branch_way *way);

/* Opens everything below, up to *@lines lines; subtracts the lines used. 0 or -ENOMEM. */
int branch_open_all(struct branch *branch, const struct branch_way *way, size_t *lines);
void branch_close_all(struct branch *branch);

/* The next visible branch below @root in display order; NULL: it is the last. */
struct branch *branch_next(const struct branch *root, struct branch *branch);

#endif
