/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of calls that somebody looks around in. A branch is split when it is opened, so a tree costs what is seen of
 * it. Nothing here recurses: a file may have stacks as deep as it likes.
 */
#ifndef TPROF_BRANCH_H
#define TPROF_BRANCH_H

#include "calls.h"

enum branch_kind {
	BRANCH_CALLS,
	BRANCH_ENDED,		/* stacks that go no further, below those that do */
	BRANCH_OMITTED,		/* branches below the limit */
};

struct branch {
	enum branch_kind kind;
	uint32_t name;
	int depth;			/* 0: the root; a run of single callers is as deep as its first */
	struct tprof_tally sum;
	struct branch *parent;
	struct branch *children;	/* heaviest first; NULL: not split yet */
	size_t nr;
	size_t nr_omitted;
	struct calls_at *stacks;	/* that come here; part of those of the root */
	size_t nr_stacks;
	bool goes_on;			/* it has children, or would have */
	bool open;
};

/* What all branches of a tree are split by. */
struct branch_way {
	int step;			/* as in calls_split() */
	uint64_t limit;			/* weight below which branches are put together */
};

/* The root: a name, with all stacks that have it. Returns 0 or -ENOMEM; to be freed in any case. */
int branch_root(struct branch *root, const struct calls *calls, uint32_t name, const struct branch_way *way);
void branch_fini(struct branch *root);

/* Opens it, and on where there is only one way to go. Returns 0 or -ENOMEM. */
int branch_open(struct branch *branch, const struct branch_way *way);

/* Opens everything below, but no more than so many lines, of which it takes away what it used. */
int branch_open_all(struct branch *branch, const struct branch_way *way, size_t *lines);
void branch_close_all(struct branch *branch);

/* The one behind it, of those below @root that are shown; NULL: it is the last. */
struct branch *branch_next(const struct branch *root, struct branch *branch);

#endif
