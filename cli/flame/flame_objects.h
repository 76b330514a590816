/* SPDX-License-Identifier: GPL-2.0-only */
/* The objects of a picture, the heaviest first, for they get the colours that are easiest to tell apart. */
#ifndef TPROF_FLAME_OBJECTS_H
#define TPROF_FLAME_OBJECTS_H

#include "flame.h"

enum { FLAME_NR_HUES = 12 };	/* as many as an eye can keep apart */

struct flame_object {
	uint32_t number;
	uint64_t weight;
};

struct flame_objects {
	struct names names;
	struct flame_object *ranks;	/* by weight; as many as there are names */
	uint32_t *rank_of;		/* by number of the name */
};

/* Returns 0 or -ENOMEM; to be freed in any case. */
int flame_objects_make(struct flame_objects *objects, const struct flame *flame);
void flame_objects_fini(struct flame_objects *objects);

/* The rank of what a name has for an object in the picture; of "", which processes have; and the name of a rank. */
uint32_t flame_objects_rank(struct flame_objects *objects, const struct name *name);
uint32_t flame_objects_no_rank(struct flame_objects *objects);
const char *flame_objects_name(const struct flame_objects *objects, size_t rank);

/* Degrees of the hue of a rank below FLAME_NR_HUES. */
int flame_objects_hue(size_t rank);

#endif
