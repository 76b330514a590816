/* SPDX-License-Identifier: GPL-2.0-only */
/* A call tree, built from stacks down to a minimum weight. Omitted branches are summed up at their parent. */
#ifndef TPROF_TREE_H
#define TPROF_TREE_H

#include "calls.h"

struct tree {
	uint32_t *run;			/* names with a single child each; empty if the tree has no common root */
	size_t nr_run, capacity;
	struct tprof_tally sum;		/* of all stacks that reach this tree */
	struct tprof_tally ended;	/* of the stacks that end here */
	struct tprof_tally omitted;	/* of the omitted branches */
	size_t nr_omitted;
	struct tree *children;		/* heaviest first */
	size_t nr;
};

/*
 * Fills a zeroed tree from stacks that are all positioned at its first name, or above their roots. @step: as in
 * calls_split(). Branches with a weight below @limit, or deeper than 1,000 levels, are omitted. 0 or -ENOMEM; call
 * tree_fini() in any case.
 */
int tree_build(struct tree *tree, struct calls_at *stacks, size_t nr, int step, uint64_t limit);
void tree_fini(struct tree *tree);

/*
 * Cuts the tree to its @nr_names heaviest names; of equally heavy names, the first ones in tree order are kept. 0 or
 * -ENOMEM.
 */
int tree_cut(struct tree *tree, size_t nr_names);

#endif
