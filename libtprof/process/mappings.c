// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The executable mappings of an image: a weight-balanced tree with shared subtrees.
 *
 * All changes are composed of split and join, which take ownership of the references they are given and return one. A
 * node with one reference, below nodes with one reference, is changed in place; any other node is copied first. If
 * memory for the copy is exhausted, that part is dropped and pool->failed is set; mappings_insert() then drops the
 * rest.
 *
 * Blelloch, Ferizovic, Sun: Just Join for Parallel Ordered Sets (2016) proves the balance for a ratio of 3. A tree of
 * MAPPINGS_MAX is at most 39 nodes deep, so recursion is bounded.
 */
#include "mappings.h"

#include <errno.h>
#include <stdlib.h>

/* Maximum ratio of the weights of the two sides of a node. */
#define MAX_RATIO 3

struct mappings {
	struct mapping mapping;
	struct mappings *left, *right;	/* lower and higher addresses */
	uint32_t refs;			/* from parent nodes and images */
	uint32_t nr;			/* number of nodes in this subtree */
};

struct mappings *mappings_ref(struct mappings *mappings)
{
	if (mappings)
		mappings->refs++;
	return mappings;
}

void mappings_put(struct mappings_pool *pool, struct mappings *mappings)
{
	if (!mappings || --mappings->refs)
		return;
	mappings_put(pool, mappings->left);
	mappings_put(pool, mappings->right);
	pool->nr--;
	if (pool->refer)
		pool->refer(mappings->mapping.dso, -1);
	free(mappings);
}

uint32_t mappings_nr(const struct mappings *mappings)
{
	return mappings ? mappings->nr : 0;
}

bool mappings_may_bring(const struct mappings *mappings, const struct dsos *dsos)
{
	return mappings_nr(mappings) <= MAPPINGS_FEW || !dsos_are_many(dsos);
}

static struct mappings *node_new(struct mappings_pool *pool, const struct mapping *mapping)
{
	struct mappings *node = malloc(sizeof(*node));

	if (!node) {
		pool->failed = true;
		return NULL;
	}
	*node = (struct mappings){ .mapping = *mapping, .refs = 1, .nr = 1 };
	pool->nr++;
	if (pool->refer)
		pool->refer(mapping->dso, 1);
	return node;
}

/* Returns a node with the same content that may be changed in place. NULL if memory is exhausted. */
static struct mappings *node_own(struct mappings_pool *pool, struct mappings *node)
{
	struct mappings *own;

	if (node->refs == 1)
		return node;
	own = node_new(pool, &node->mapping);
	if (own) {
		own->left = mappings_ref(node->left);
		own->right = mappings_ref(node->right);
		own->nr = node->nr;
	}
	mappings_put(pool, node);
	return own;
}

static struct mappings *node_set(struct mappings *node, struct mappings *left, struct mappings *right)
{
	node->left = left;
	node->right = right;
	node->nr = 1 + mappings_nr(left) + mappings_nr(right);
	return node;
}

/* Balance ------------------------------------------------------------------------------------------------ */

static bool is_balanced(uint64_t a, uint64_t b)
{
	return a + 1 <= MAX_RATIO * (b + 1) && b + 1 <= MAX_RATIO * (a + 1);
}

/* Both take an owned node. */
static struct mappings *rotate_left(struct mappings_pool *pool, struct mappings *node)
{
	struct mappings *top = node_own(pool, node->right);

	if (!top)
		return node_set(node, node->left, NULL);
	node_set(node, node->left, top->left);
	return node_set(top, node, top->right);
}

static struct mappings *rotate_right(struct mappings_pool *pool, struct mappings *node)
{
	struct mappings *top = node_own(pool, node->left);

	if (!top)
		return node_set(node, NULL, node->right);
	node_set(node, top->right, node->right);
	return node_set(top, top->left, node);
}

static struct mappings *join(struct mappings_pool *pool, struct mappings *left, struct mappings *node,
			     struct mappings *right);

/* @left is too heavy for @right: descends its right side until the weights fit. */
static struct mappings *join_right(struct mappings_pool *pool, struct mappings *left, struct mappings *node,
				   struct mappings *right)
{
	struct mappings *top = node_own(pool, left), *low, *inner;

	if (!top)
		return join(pool, NULL, node, right);
	low = join(pool, top->right, node, right);
	inner = low->left;
	node_set(top, top->left, low);
	if (is_balanced(mappings_nr(top->left), low->nr))
		return top;
	if (!is_balanced(mappings_nr(top->left), mappings_nr(inner)) ||
	    !is_balanced((uint64_t)mappings_nr(top->left) + mappings_nr(inner) + 1, mappings_nr(low->right)))
		top->right = inner ? rotate_right(pool, low) : low;
	return rotate_left(pool, top);
}

static struct mappings *join_left(struct mappings_pool *pool, struct mappings *left, struct mappings *node,
				  struct mappings *right)
{
	struct mappings *top = node_own(pool, right), *low, *inner;

	if (!top)
		return join(pool, left, node, NULL);
	low = join(pool, left, node, top->left);
	inner = low->right;
	node_set(top, low, top->right);
	if (is_balanced(mappings_nr(top->right), low->nr))
		return top;
	if (!is_balanced(mappings_nr(top->right), mappings_nr(inner)) ||
	    !is_balanced((uint64_t)mappings_nr(top->right) + mappings_nr(inner) + 1, mappings_nr(low->left)))
		top->left = inner ? rotate_left(pool, low) : low;
	return rotate_right(pool, top);
}

/* Joins @left, all below the owned @node, the node itself, and @right, all above it. */
static struct mappings *join(struct mappings_pool *pool, struct mappings *left, struct mappings *node,
			     struct mappings *right)
{
	if (is_balanced(mappings_nr(left), mappings_nr(right)))
		return node_set(node, left, right);
	return mappings_nr(left) > mappings_nr(right) ? join_right(pool, left, node, right) :
							join_left(pool, left, node, right);
}

/* Ranges ------------------------------------------------------------------------------------------------- */

/* Cuts a mapping at the address @at inside it; the rest becomes a mapping of its own. */
static void cut(struct mappings_pool *pool, struct mappings *node, uint64_t at, struct mappings **below,
		struct mappings **above)
{
	struct mappings *left = node->left, *right = node->right, *behind;
	struct mapping rest = node->mapping;

	rest.pgoff += at - rest.start;
	rest.start = at;
	node->mapping.end = at;
	*below = join(pool, left, node, NULL);
	behind = node_new(pool, &rest);
	*above = behind ? join(pool, NULL, behind, right) : right;
}

/* Splits into the mappings below the address @at and those from it on. */
static void split(struct mappings_pool *pool, struct mappings *mappings, uint64_t at, struct mappings **below,
		  struct mappings **above)
{
	struct mappings *node = mappings ? node_own(pool, mappings) : NULL, *middle;

	*below = *above = NULL;
	if (!node)
		return;
	if (at <= node->mapping.start) {
		struct mappings *right = node->right;

		split(pool, node->left, at, below, &middle);
		*above = join(pool, middle, node, right);
	} else if (at >= node->mapping.end) {
		struct mappings *left = node->left;

		split(pool, node->right, at, &middle, above);
		*below = join(pool, left, node, middle);
	} else {
		cut(pool, node, at, below, above);
	}
}

static struct mappings *keep_below(struct mappings_pool *pool, struct mappings *mappings, uint64_t at)
{
	struct mappings *below, *above;

	split(pool, mappings, at, &below, &above);
	mappings_put(pool, above);
	return below;
}

static struct mappings *keep_above(struct mappings_pool *pool, struct mappings *mappings, uint64_t at)
{
	struct mappings *below, *above;

	split(pool, mappings, at, &below, &above);
	mappings_put(pool, below);
	return above;
}

/* Is @b adjacent to @a, in memory and in the file? */
static bool mapping_continues(const struct mapping *a, const struct mapping *b)
{
	return a->end == b->start && a->dso == b->dso && a->pgoff + (a->end - a->start) == b->pgoff;
}

/* Merges adjacent mappings: JIT compilers add page after page. */
static void take_in_neighbours(struct mappings_pool *pool, struct mapping *mapping, struct mappings **below,
			       struct mappings **above)
{
	const struct mappings *last = *below, *first = *above;

	while (last && last->right)
		last = last->right;
	while (first && first->left)
		first = first->left;
	if (last && mapping_continues(&last->mapping, mapping)) {
		mapping->start = last->mapping.start;
		mapping->pgoff = last->mapping.pgoff;
		*below = keep_below(pool, *below, mapping->start);
	}
	if (first && mapping_continues(mapping, &first->mapping)) {
		mapping->end = first->mapping.end;
		*above = keep_above(pool, *above, mapping->end);
	}
}

static bool is_too_many(const struct mappings_pool *pool, uint32_t nr)
{
	return nr > MAPPINGS_MAX || (nr > MAPPINGS_FEW && pool->nr >= MAPPINGS_MAX_TOTAL);
}

int mappings_insert(struct mappings_pool *pool, struct mappings **mappings, const struct mapping *mapping)
{
	struct mappings *below, *above, *node;
	struct mapping whole = *mapping;
	int err = 0;

	if (mapping->start >= mapping->end)
		return -EINVAL;
	pool->failed = false;
	split(pool, *mappings, mapping->start, &below, &above);
	above = keep_above(pool, above, mapping->end);
	take_in_neighbours(pool, &whole, &below, &above);
	node = node_new(pool, &whole);
	*mappings = node ? join(pool, below, node, above) : NULL;
	if (!node) {
		mappings_put(pool, below);
		mappings_put(pool, above);
	}
	if (pool->failed)
		err = -ENOMEM;
	else if (is_too_many(pool, mappings_nr(*mappings)))
		err = -E2BIG;
	if (err) {
		mappings_put(pool, *mappings);
		*mappings = NULL;
	}
	return err;
}

/* Lookups ------------------------------------------------------------------------------------------------ */

const struct mapping *mappings_first(const struct mappings *mappings, uint64_t start, uint64_t end)
{
	const struct mapping *first = NULL;

	while (mappings) {
		bool is_above = mappings->mapping.end > start;

		if (is_above)
			first = &mappings->mapping;
		mappings = is_above ? mappings->left : mappings->right;
	}
	return first && start < end && first->start < end ? first : NULL;
}

const struct mapping *mappings_find(const struct mappings *mappings, uint64_t ip)
{
	const struct mapping *mapping = mappings_first(mappings, ip, UINT64_MAX);

	return mapping && mapping->start <= ip ? mapping : NULL;
}

/* The page number repeats every 16 TiB: checks each multiple that has mappings. */
bool mappings_have_page(const struct mappings *mappings, uint32_t page)
{
	const uint64_t low = (uint64_t)page << 12, size = 1ULL << 44;
	uint64_t base = 0;

	for (;;) {
		uint64_t first = base + low;
		const struct mapping *mapping = mappings_first(mappings, first, UINT64_MAX);

		if (!mapping)
			return false;
		if (mapping->start <= first + 0xfff)
			return true;
		/*
		 * The page is below the next mapping, so the page of the same multiple as that mapping is checked next.
		 */
		if (mapping->start - first > size)
			base += (mapping->start - first) / size * size;
		else if (base > UINT64_MAX - size)
			return false;
		else
			base += size;
	}
}

const struct mapping *mappings_next(const struct mappings *mappings, const struct mapping *mapping)
{
	return mappings_first(mappings, mapping ? mapping->end : 0, UINT64_MAX);
}

bool mappings_same_ranges(const struct mappings *a, const struct mappings *b)
{
	const struct mapping *x = NULL, *y = NULL;

	if (a == b)
		return true;
	if (mappings_nr(a) != mappings_nr(b))
		return false;
	while ((x = mappings_next(a, x))) {
		y = mappings_next(b, y);
		if (!y || x->start != y->start || x->end != y->end)
			return false;
	}
	return true;
}
