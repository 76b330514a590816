/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The executable mappings of an image: a sorted array without overlaps, shared between a process and its
 * children until one of them changes it.
 */
#ifndef TPROF_MAPPINGS_H
#define TPROF_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "aspace.h"

/*
 * Unmapping is not reported, so a program that maps code at ever new places would grow its array for ever.
 * The kernel's own default limit (vm.max_map_count) is 65530.
 */
#define MAPPINGS_MAX 65536

struct mappings {
	uint32_t refs;
	uint32_t nr;
	uint32_t capacity;
	struct mapping at[];
};

/* NULL stands for no mappings wherever one is passed in. */
struct mappings *mappings_ref(struct mappings *mappings);
void mappings_put(struct mappings *mappings);

/*
 * Adds one, replacing what it overlaps. Copies the array first if it is shared. Errors: EINVAL (empty range),
 * E2BIG (MAPPINGS_MAX), ENOMEM; the array is as it was then.
 */
int mappings_insert(struct mappings **mappings, const struct mapping *mapping);

/* The one that holds @ip, or NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, uint64_t ip);
/* The first of those that overlap [@start, @end), or NULL. */
const struct mapping *mappings_first(const struct mappings *mappings, uint64_t start, uint64_t end);
/* Is the page with that number (address >> 12, low 32 bits) in one of them? */
bool mappings_have_page(const struct mappings *mappings, uint32_t page);
/* Are the same ranges mapped? (Not: from the same files, which have two kinds of id.) */
bool mappings_same_ranges(const struct mappings *a, const struct mappings *b);

#endif
