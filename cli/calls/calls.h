/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stacks of a profile as arrays of name numbers, and the operation from which all call trees are built:
 * splitting stacks by their next name. Only branches that are shown are split further, so a profile with 100,000 stacks
 * never becomes a complete tree.
 */
#ifndef TPROF_CALLS_H
#define TPROF_CALLS_H

#include "names.h"

struct calls_stack {
	const uint32_t *names;		/* from leaf to root */
	size_t nr;
	uint64_t samples, weight;
};

struct calls {
	struct calls_stack *stacks;
	size_t nr;
	uint32_t *numbers;		/* storage of the names of all stacks */
	struct tprof_tally total;
	size_t *found;			/* calls_index(): for each name, the start of its stacks in having */
	uint32_t *having;		/* indices into stacks */
};

/*
 * Reads the stacks of a profile. By function or line: the call stacks, or without call stacks, one stack with a single
 * name per entry. By object: the same, with consecutive frames of one object merged. By process, cgroup or owner:
 * stacks with a single name. 0 or -ENOMEM.
 */
int calls_open(struct calls *calls, const struct tprof_profile *profile, enum tprof_group group, struct names *names);
/* The object of names that are processes. */
#define CALLS_PROCESS "[process]"

/* By function, with the process as the root of each stack. */
int calls_open_processes(struct calls *calls, const struct tprof_profile *profile, struct names *names);
void calls_close(struct calls *calls);

/*
 * Merges the stacks with the same names, as those of several addresses in each function, so that trees cost no more
 * than what is different in them. Not for statistics of samples: they differ in weight. 0 or -ENOMEM.
 */
int calls_merge(struct calls *calls);

/* The sums of a name over all stacks. */
struct calls_sum {
	struct tprof_tally self;	/* samples with the name as the leaf */
	struct tprof_tally total;	/* samples with the name anywhere in the stack, each counted once */
};

/* The sums of all names, which the caller frees; NULL if memory is short. */
struct calls_sum *calls_sums(const struct calls *calls, size_t nr_names);

/* A stack, and the current position of a tree in it. */
struct calls_at {
	const struct calls_stack *stack;
	uint32_t at;
	uint32_t name;			/* the name at this position, by which stacks are split */
};

/* Call once before calls_through(): indexes the stacks by name. 0 or -ENOMEM. */
int calls_index(struct calls *calls, size_t nr_names);

/*
 * The stacks that contain a name, each positioned at its occurrence nearest the leaf (@step 1: for callers) or nearest
 * the root (-1: for callees). The caller frees them. NULL if memory is short.
 */
struct calls_at *calls_through(const struct calls *calls, uint32_t name, int step, size_t *nr);

/* Whether the stacks of a name continue in direction @step. */
bool calls_go_on(const struct calls *calls, uint32_t name, int step);

/* Stacks that continue with the same name. */
struct calls_branch {
	uint32_t name;
	struct calls_at *stacks;	/* a slice of the stacks that were split */
	size_t nr;
	struct tprof_tally sum;
};

/* The result of a split: branches, heaviest first, and the sum of the stacks that end here. */
struct calls_split {
	struct calls_branch *branches;
	size_t nr;
	struct tprof_tally ended;
};

/*
 * Moves the stacks one step towards the root (@step 1: callers) or the leaf (-1: callees), and groups them by name.
 * Reorders @stacks and updates their positions. From a position above the root (at == stack->nr), a step of -1 leads to
 * the root. 0 or -ENOMEM. The caller frees split->branches.
 */
int calls_split(struct calls_at *stacks, size_t nr, int step, struct calls_split *split);

#endif
