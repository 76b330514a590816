/* SPDX-License-Identifier: GPL-2.0-only */
/* The objects of a flame graph, heaviest first. The heaviest get the most distinct colors. */
#ifndef TPROF_FLAME_OBJECTS_H
#define TPROF_FLAME_OBJECTS_H

#include "flame.h"

enum { FLAME_NR_HUES = 12 };	/* more colors are hard to distinguish */

struct flame_object {
	uint32_t number;
	uint64_t weight;
};

struct flame_objects {
	struct names names;
	struct flame_object *ranks;	/* by weight; names.nr elements */
	uint32_t *rank_of;		/* by name number */
};

/* 0 or -ENOMEM; call flame_objects_fini() in any case. */
int flame_objects_make(struct flame_objects *objects, const struct flame *flame);
void flame_objects_fini(struct flame_objects *objects);

/* The rank of the object of a name; the rank of the empty object, which processes have; the name of a rank. */
uint32_t flame_objects_rank(struct flame_objects *objects, const struct name *name);
uint32_t flame_objects_no_rank(struct flame_objects *objects);
const char *flame_objects_name(const struct flame_objects *objects, size_t rank);

/* The hue, in degrees, of a rank below FLAME_NR_HUES. */
int flame_objects_hue(size_t rank);

#endif
