/* SPDX-License-Identifier: GPL-2.0-only */
/* A tree of calls, made of stacks as far as it is worth showing. What is left out is summed up where it would be. */
#ifndef TPROF_TREE_H
#define TPROF_TREE_H

#include "calls.h"

struct tree {
	uint32_t *run;			/* names, each with only the next below it; none at the root of all roots */
	size_t nr_run, room;
	struct tprof_tally sum;		/* of all stacks that come here */
	struct tprof_tally ended;	/* of those that go no further */
	struct tprof_tally omitted;	/* of branches that are left out */
	size_t nr_omitted;
	struct tree *children;		/* heaviest first */
	size_t nr;
};

/*
 * Fills a zeroed tree from stacks that stand at its first name, or at the end before any. @step as in calls_split().
 * Branches of less than @limit are left out, and so is what branches more than 1,000 times. Returns 0 or -ENOMEM; the
 * tree is to be freed in any case.
 */
int tree_build(struct tree *tree, struct calls_at *stacks, size_t nr, int step, uint64_t limit);
void tree_fini(struct tree *tree);

/*
 * Leaves the heaviest names, so many at most; of those that are as heavy, the first in the order of the tree. Returns 0
 * or -ENOMEM.
 */
int tree_cut(struct tree *tree, size_t nr_names);

#endif
