// SPDX-License-Identifier: GPL-2.0-only
/* Call trees. */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

/* Limits the recursion for malformed files; real programs have far fewer levels of branches. */
#define MAX_LEVELS 1000

static int push(struct tree *tree, uint32_t name)
{
	uint32_t *run = grow_array(tree->run, tree->nr_run, &tree->capacity, sizeof(*run));

	if (!run)
		return -ENOMEM;
	tree->run = run;
	tree->run[tree->nr_run++] = name;
	return 0;
}

static bool is_run(const struct calls_split *split)
{
	return split->nr == 1 && !split->ended.samples && !split->ended.weight;
}

/* Splits until the tree branches or ends. The caller frees split->branches. */
static int follow_run(struct tree *tree, int step, struct calls_split *split)
{
	/* A tree that starts above the roots has no name, so it cannot have a run. */
	bool named = tree->nr_run != 0;

	for (;;) {
		int err = calls_split(tree->stacks, tree->nr_stacks, step, split);

		if (err || !named || !is_run(split))
			return err;
		err = push(tree, split->branches[0].name);
		tree->stacks = split->branches[0].stacks;
		tree->nr_stacks = split->branches[0].nr;
		free(split->branches);
		split->branches = NULL;
		if (err)
			return err;
	}
}

static int add_child(struct tree *tree, const struct calls_branch *branch)
{
	struct tree *child = &tree->children[tree->nr++];

	child->sum = branch->sum;
	child->stacks = branch->stacks;
	child->nr_stacks = branch->nr;
	child->level = tree->level + 1;
	return push(child, branch->name);
}

int tree_split(struct tree *tree, const struct tree_way *way)
{
	struct calls_split split = { 0 };
	int err = follow_run(tree, way->step, &split);

	if (!err) {
		tree->ended = split.ended;
		tree->children = calloc(split.nr + 1, sizeof(*tree->children));
		err = tree->children ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < split.nr && !err; i++) {
		const struct calls_branch *branch = &split.branches[i];

		if (branch->sum.weight >= way->limit && tree->level < MAX_LEVELS) {
			err = add_child(tree, branch);
			continue;
		}
		tree->omitted.samples += branch->sum.samples;
		tree->omitted.weight += branch->sum.weight;
		tree->nr_omitted++;
	}
	free(split.branches);
	return err;
}

static int grow(struct tree *tree, const struct tree_way *way)
{
	int err = tree_split(tree, way);

	for (size_t i = 0; i < tree->nr && !err; i++)
		err = grow(&tree->children[i], way);
	return err;
}

int tree_start(struct tree *tree, struct calls_at *stacks, size_t nr)
{
	tree->stacks = stacks;
	tree->nr_stacks = nr;
	for (size_t i = 0; i < nr; i++) {
		tree->sum.samples += stacks[i].stack->samples;
		tree->sum.weight += stacks[i].stack->weight;
	}
	return nr && stacks[0].at < stacks[0].stack->nr ? push(tree, stacks[0].name) : 0;
}

int tree_build(struct tree *tree, struct calls_at *stacks, size_t nr, const struct tree_way *way)
{
	int err = tree_start(tree, stacks, nr);

	return err ? err : grow(tree, way);
}

void tree_fini(struct tree *tree)
{
	for (size_t i = 0; i < tree->nr; i++)
		tree_fini(&tree->children[i]);
	free(tree->children);
	free(tree->run);
	*tree = (struct tree){ 0 };
}
