// SPDX-License-Identifier: GPL-2.0-only
/* Cuts a tree to its heaviest names. Equally heavy names are kept in tree order, up to the limit. */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

struct weights {
	uint64_t *weights;
	size_t nr, capacity;
};

/* Each name of a run counts, because each takes a box. */
static int collect(struct weights *weights, const struct tree *tree)
{
	int err = 0;

	for (size_t i = 0; i < tree->nr_run; i++) {
		uint64_t *grown = grow_array(weights->weights, weights->nr, &weights->capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		weights->weights = grown;
		weights->weights[weights->nr++] = tree->sum.weight;
	}
	for (size_t i = 0; i < tree->nr && !err; i++)
		err = collect(weights, &tree->children[i]);
	return err;
}

static int heavier_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Keeps all names heavier than weight, and nr_equal names of exactly this weight. */
struct limit {
	uint64_t weight;
	size_t nr_equal;
};

static size_t take(struct limit *limit, const struct tree *tree)
{
	size_t nr = tree->nr_run;

	if (tree->sum.weight > limit->weight)
		return nr;
	if (tree->sum.weight < limit->weight)
		return 0;
	if (nr > limit->nr_equal)
		nr = limit->nr_equal;
	limit->nr_equal -= nr;
	return nr;
}

static void omit(struct tree *tree, const struct tprof_tally *sum)
{
	tree->omitted.samples += sum->samples;
	tree->omitted.weight += sum->weight;
	tree->nr_omitted++;
}

/* Keeps the first @nr_run names of a run, and omits everything below them. */
static void shorten(struct tree *tree, size_t nr_run)
{
	while (tree->nr)
		tree_fini(&tree->children[--tree->nr]);
	tree->nr_run = nr_run;
	tree->ended = tree->omitted = (struct tprof_tally){ 0 };
	tree->nr_omitted = 0;
	omit(tree, &tree->sum);
}

static void cut(struct tree *tree, struct limit *limit)
{
	size_t nr = 0;

	for (size_t i = 0; i < tree->nr; i++) {
		struct tree *child = &tree->children[i];
		size_t nr_run = take(limit, child);

		if (!nr_run) {
			omit(tree, &child->sum);
			tree_fini(child);
			continue;
		}
		if (nr_run < child->nr_run)
			shorten(child, nr_run);
		else
			cut(child, limit);
		tree->children[nr++] = *child;
	}
	tree->nr = nr;
}

int tree_cut(struct tree *tree, size_t nr_names)
{
	struct weights weights = { 0 };
	int err = collect(&weights, tree);

	if (!err && weights.nr > nr_names) {
		struct limit limit = { .nr_equal = nr_names };

		qsort(weights.weights, weights.nr, sizeof(*weights.weights), heavier_first);
		limit.weight = weights.weights[nr_names];
		while (limit.nr_equal && weights.weights[nr_names - limit.nr_equal] > limit.weight)
			limit.nr_equal--;
		cut(tree, &limit);
	}
	free(weights.weights);
	return err;
}
