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
	struct calls_at *stacks;	/* that reach this tree; a slice of the stacks of the root */
	size_t nr_stacks;
	int level;			/* 0: the root */
};

/* How trees are split. Branches with a weight below @limit, or deeper than 1,000 levels, are omitted. */
struct tree_way {
	int step;			/* as in calls_split() */
	uint64_t limit;
};

/*
 * Fills a zeroed tree from stacks that are all positioned at its first name, or above their roots. 0 or -ENOMEM; call
 * tree_fini() in any case.
 */
int tree_build(struct tree *tree, struct calls_at *stacks, size_t nr, const struct tree_way *way);
void tree_fini(struct tree *tree);

/*
 * The same in steps, for trees that are too large to be kept: tree_start() fills a zeroed tree without children, and
 * tree_split() makes the children of a tree, which have none yet. The stacks must stay until the tree is freed; a child
 * may be freed by tree_fini() alone. 0 or -ENOMEM.
 */
int tree_start(struct tree *tree, struct calls_at *stacks, size_t nr);
int tree_split(struct tree *tree, const struct tree_way *way);

/*
 * Cuts the tree to its @nr_names heaviest names; of equally heavy names, the first ones in tree order are kept. 0 or
 * -ENOMEM.
 */
int tree_cut(struct tree *tree, size_t nr_names);

#endif
