/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The executable mappings of an image: a sorted set without overlaps, shared between a process and its children.
 *
 * A set is a balanced tree whose subtrees are shared until they change, so a fork costs nothing, and a change costs
 * as much as the tree is deep, however many mappings a process has and whoever shares them: what it may cost is in
 * the hands of strangers.
 */
#ifndef TPROF_MAPPINGS_H
#define TPROF_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aspace.h"

/*
 * Unmapping is not reported, so a program that maps code at ever new places would grow its set for ever. The kernel's
 * own default limit (vm.max_map_count) is 65530.
 */
#define MAPPINGS_MAX 65536
/*
 * How many all sets may hold together before a set with more than MAPPINGS_FEW may not grow any more: 72 MiB. Large
 * programs have some hundred executable mappings.
 */
#define MAPPINGS_MAX_TOTAL (1U << 20)
#define MAPPINGS_FEW 1024

/* A set; NULL stands for the empty one wherever one is passed in. */
struct mappings;

/* What all sets of one table take. A zeroed struct is ready. */
struct mappings_pool {
	size_t nr;			/* mappings held, shared ones once */
	void (*refer)(struct dso *dso, int by);	/* 1: a mapping of it is held, -1: no more; or NULL */
	bool failed;			/* there was no memory; within mappings_insert() only */
};

struct mappings *mappings_ref(struct mappings *mappings);
void mappings_put(struct mappings_pool *pool, struct mappings *mappings);

/*
 * Adds one, replacing what it overlaps. One that continues its neighbour, in memory and in the file, becomes one with
 * it. Others that share the set do not see it. Errors: EINVAL (empty range; the set is as it was), E2BIG (too many),
 * ENOMEM; with the last two the set is empty then, and its reference is gone.
 */
int mappings_insert(struct mappings_pool *pool, struct mappings **mappings, const struct mapping *mapping);

uint32_t mappings_nr(const struct mappings *mappings);
/* May a process with these bring another file? Where there are many, only one that has few mappings. */
bool mappings_may_bring(const struct mappings *mappings, const struct dsos *dsos);
/* The one that holds @ip, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t ip);
/* The first of those that overlap [@start, @end), or NULL. */
const struct mapping *mappings_first(const struct mappings *mappings, uint64_t start, uint64_t end);
/* The one behind @mapping; the first for NULL. NULL if there is none. */
const struct mapping *mappings_next(const struct mappings *mappings, const struct mapping *mapping);
/* Is the page with that number (address >> 12, low 32 bits) in one of them? */
bool mappings_have_page(const struct mappings *mappings, uint32_t page);
/* Are the same ranges mapped? (Not: from the same files, which have two kinds of id.) */
bool mappings_same_ranges(const struct mappings *a, const struct mappings *b);

#endif
