/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Memory that is taken in small pieces and freed at once. */
#ifndef TPROF_ARENA_H
#define TPROF_ARENA_H

#include <stddef.h>

struct arena_block;

/* A zeroed struct is empty. */
struct arena {
	struct arena_block *blocks;	/* pieces are cut from the first one */
};

/* Returns uninitialized memory, aligned for any type; NULL if there is none. */
void *arena_take(struct arena *arena, size_t size);
void arena_free(struct arena *arena);

#endif
