/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stacks of a profile as stacks of numbered names, and the one thing that trees of any kind are made by: to
 * split stacks by the next name. Only what is worth showing is split further, so a profile with 100,000 stacks makes no
 * tree of all of them.
 */
#ifndef TPROF_CALLS_H
#define TPROF_CALLS_H

#include "names.h"

struct calls_stack {
	const uint32_t *names;		/* from the leaf to the root */
	size_t nr;
	uint64_t samples, weight;
};

struct calls {
	struct calls_stack *stacks;
	size_t nr;
	uint32_t *numbers;		/* what names point to */
	struct tprof_tally total;
	size_t *found;			/* calls_index(): of each name, where in having its stacks begin */
	uint32_t *having;		/* stacks, by their places in the array */
};

/*
 * Takes the stacks of a profile: by function as they are, or as one of a single function for each entry if there are no
 * call stacks; by object with those that follow each other as one; by process or cgroup, of one name. Returns 0 or
 * -ENOMEM.
 */
int calls_open(struct calls *calls, const struct tprof_profile *profile, enum tprof_group group, struct names *names);
/* The object of names that are processes. */
#define CALLS_PROCESS "[process]"

/* By function, and each stack has its process at the root. */
int calls_open_processes(struct calls *calls, const struct tprof_profile *profile, struct names *names);
void calls_close(struct calls *calls);

/* What a name has in all stacks. */
struct calls_sum {
	struct tprof_tally self;	/* of samples in it */
	struct tprof_tally total;	/* of samples in it and in what it called, each once */
};

/* One for each of so many names; NULL if there is no memory. To be freed. */
struct calls_sum *calls_sums(const struct calls *calls, size_t nr_names);

/* A stack, and where in it a tree has come to. */
struct calls_at {
	const struct calls_stack *stack;
	uint32_t at;
	uint32_t name;			/* there; what splitting goes by */
};

/* Before calls_through(), once: notes which stacks have which of so many names. Returns 0 or -ENOMEM. */
int calls_index(struct calls *calls, size_t nr_names);

/*
 * The stacks that have a name, each at the place that is next to the leaf (@step 1: for callers) or next to the root
 * (-1: for callees). NULL if there is no memory. To be freed.
 */
struct calls_at *calls_through(const struct calls *calls, uint32_t name, int step, size_t *nr);

/* Would a split of these have branches? */
bool calls_go_on(const struct calls *calls, uint32_t name, int step);

/* Stacks that go on with the same name. */
struct calls_branch {
	uint32_t name;
	struct calls_at *stacks;	/* part of what was split */
	size_t nr;
	struct tprof_tally sum;
};

/* What a split makes: branches, heaviest first, and those stacks that end here. */
struct calls_split {
	struct calls_branch *branches;
	size_t nr;
	struct tprof_tally ended;
};

/*
 * One step further to the root (@step 1: callers) or to the leaf (-1: callees): reorders stacks, and moves their
 * places. Stacks that stand before their roots (at == stack->nr) come to them by a step to the leaf. Returns 0 or
 * -ENOMEM. The branches are to be freed.
 */
int calls_split(struct calls_at *stacks, size_t nr, int step, struct calls_split *split);

#endif
