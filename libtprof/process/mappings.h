/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The executable mappings of an image: a sorted set without overlaps, shared between a process and its children.
 *
 * A set is a balanced tree with copy-on-write subtrees. A fork costs nothing, and a change costs time proportional to
 * the depth of the tree, whatever the number of mappings and of sharers. This bound matters because untrusted processes
 * control both numbers.
 */
#ifndef TPROF_MAPPINGS_H
#define TPROF_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aspace.h"

/*
 * Unmapping is not reported, so a program that keeps mapping code at new addresses would grow its set without bound.
 * The kernel's default limit (vm.max_map_count) is 65530.
 */
#define MAPPINGS_MAX 65536
/*
 * Limit for all sets together: 72 MiB. Beyond it, sets with more than MAPPINGS_FEW entries cannot grow. Large programs
 * have some hundred executable mappings.
 */
#define MAPPINGS_MAX_TOTAL (1U << 20)
#define MAPPINGS_FEW 1024

/* A set. NULL is the empty set in all functions. */
struct mappings;

/* State shared by all sets of a table. A zeroed struct is ready. */
struct mappings_pool {
	size_t nr;			/* number of mappings; shared ones count once */
	void (*refer)(struct dso *dso, int by);	/* 1: a mapping of the dso was added, -1: removed; or NULL */
	bool failed;			/* memory was exhausted; used within mappings_insert() only */
};

struct mappings *mappings_ref(struct mappings *mappings);
void mappings_put(struct mappings_pool *pool, struct mappings *mappings);

/*
 * Adds a mapping and replaces what it overlaps. A mapping that is adjacent to a neighbor, in memory and in the file, is
 * merged with it. Sharers of the set are unaffected. Errors: EINVAL (empty range; the set is unchanged), E2BIG (too
 * many), ENOMEM. After E2BIG and ENOMEM the set is empty and its reference is dropped.
 */
int mappings_insert(struct mappings_pool *pool, struct mappings **mappings, const struct mapping *mapping);

uint32_t mappings_nr(const struct mappings *mappings);
/* May a process with these mappings add another file? If there are many dsos, only if it has few mappings. */
bool mappings_may_bring(const struct mappings *mappings, const struct dsos *dsos);
/* The mapping that contains @ip, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t ip);
/* The first mapping that overlaps [@start, @end), or NULL. */
const struct mapping *mappings_first(const struct mappings *mappings, uint64_t start, uint64_t end);
/* The mapping after @mapping; the first one for NULL. Returns NULL at the end. */
const struct mapping *mappings_next(const struct mappings *mappings, const struct mapping *mapping);
/* Is the page with this number (address >> 12, low 32 bits) in one of the mappings? */
bool mappings_have_page(const struct mappings *mappings, uint32_t page);
/* Do both sets map the same ranges? Files are not compared: their identities differ between events and /proc. */
bool mappings_same_ranges(const struct mappings *a, const struct mappings *b);

#endif
