// SPDX-License-Identifier: GPL-2.0-only
/* A call tree whose branches are split when they are opened. */
#include "branch.h"

#include <errno.h>
#include <stdlib.h>

/* Maximum length of a run that is opened at once. Opening its last branch continues the run. */
#define MAX_RUN 1000

static bool any_goes_on(const struct calls_at *stacks, size_t nr, int step)
{
	for (size_t i = 0; i < nr; i++)
		if (step > 0 ? stacks[i].at + 1 < stacks[i].stack->nr : stacks[i].at > 0)
			return true;
	return false;
}

int branch_root(struct branch *root, const struct calls *calls, uint32_t name, const struct branch_way *way)
{
	*root = (struct branch){ .name = name };
	root->stacks = calls_through(calls, name, way->step, &root->nr_stacks);
	if (!root->stacks)
		return -ENOMEM;
	root->goes_on = any_goes_on(root->stacks, root->nr_stacks, way->step);
	return 0;
}

void branch_fini(struct branch *root)
{
	struct branch *branch = root;

	for (;;) {
		while (branch->children && branch->nr)
			branch = &branch->children[--branch->nr];
		free(branch->children);
		branch->children = NULL;
		if (branch == root)
			break;
		branch = branch->parent;
	}
	free(root->stacks);
	*root = (struct branch){ 0 };
}

static void add_child(struct branch *branch, const struct branch *child)
{
	struct branch *added = &branch->children[branch->nr++];

	*added = *child;
	added->parent = branch;
}

static void add_tally(struct tprof_tally *sum, const struct tprof_tally *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
}

static void add_children(struct branch *branch, const struct calls_split *split, const struct branch_way *way)
{
	bool ended = split->ended.samples || split->ended.weight;
	int depth = branch->depth + (split->nr != 1 || ended || !branch->parent);
	struct branch omitted = { .kind = BRANCH_OMITTED, .depth = depth };

	for (size_t i = 0; i < split->nr; i++) {
		const struct calls_branch *part = &split->branches[i];
		struct branch child = {
			.name = part->name, .depth = depth, .sum = part->sum,
			.stacks = part->stacks, .nr_stacks = part->nr,
		};

		if (part->sum.weight < way->limit) {
			add_tally(&omitted.sum, &part->sum);
			omitted.nr_omitted++;
			continue;
		}
		child.goes_on = any_goes_on(part->stacks, part->nr, way->step);
		add_child(branch, &child);
	}
	if (ended)
		add_child(branch, &(struct branch){ .kind = BRANCH_ENDED, .depth = depth, .sum = split->ended });
	if (omitted.nr_omitted)
		add_child(branch, &omitted);
}

/* Makes the children of a branch, once. */
static int split(struct branch *branch, const struct branch_way *way)
{
	struct calls_split split;
	int err;

	if (branch->children || !branch->goes_on)
		return 0;
	err = calls_split(branch->stacks, branch->nr_stacks, way->step, &split);
	if (err)
		return err;
	branch->children = calloc(split.nr + 2, sizeof(*branch->children));
	if (branch->children)
		add_children(branch, &split, way);
	free(split.branches);
	return branch->children ? 0 : -ENOMEM;
}

int branch_open(struct branch *branch, const struct branch_way *way)
{
	int err = 0;

	for (int run = 0; run < MAX_RUN && branch->goes_on && !err; run++) {
		err = split(branch, way);
		branch->open = !err;
		if (err || branch->nr != 1)
			break;
		branch = &branch->children[0];
	}
	return err;
}

/* The next branch in display order that is not below @branch. */
static struct branch *behind(const struct branch *root, struct branch *branch)
{
	while (branch != root) {
		struct branch *parent = branch->parent;

		if (branch + 1 < parent->children + parent->nr)
			return branch + 1;
		branch = parent;
	}
	return NULL;
}

struct branch *branch_next(const struct branch *root, struct branch *branch)
{
	return branch->open && branch->nr ? &branch->children[0] : behind(root, branch);
}

int branch_open_all(struct branch *branch, const struct branch_way *way, size_t *lines)
{
	struct branch *next = branch;
	int err = 0;

	while (next && *lines && !err) {
		if (next->goes_on) {
			err = split(next, way);
			next->open = !err;
			*lines -= next->nr < *lines ? next->nr : *lines;
		}
		next = branch_next(branch, next);
	}
	return err;
}

void branch_close_all(struct branch *branch)
{
	struct branch *next = branch;

	while (next) {
		next->open = false;
		next = next->nr ? &next->children[0] : behind(branch, next);
	}
}
