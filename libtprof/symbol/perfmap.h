/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Functions of just-in-time compilers, from the text of the perf-PID.map that they write: one line "address size name"
 * each, with the latest word being true.
 */
#ifndef TPROF_PERFMAP_H
#define TPROF_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One file's content. */
struct perfmap;

/*
 * Takes a copy of the names only. Lines that are none are passed over. NULL and errno: ENOMEM, E2BIG (it would take
 * more than @max_bytes).
 */
struct perfmap *perfmap_parse(const char *text, size_t size, size_t max_bytes);
void perfmap_free(struct perfmap *map);
/* What it takes of memory. */
size_t perfmap_bytes(const struct perfmap *map);
/* The function that covers @ip; @name lives as long as the map. */
bool perfmap_find(const struct perfmap *map, uint64_t ip, const char **name, uint64_t *delta);
/* Did that function take the place of another one in a line that begins at byte @old_bytes of the text, or later? */
bool perfmap_has_changed(const struct perfmap *map, uint64_t ip, size_t old_bytes);

#endif
