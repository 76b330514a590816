/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Parser for perf-PID.map, the text file that JIT compilers write: one line "address size name" for each function.
 * Where lines overlap, the later line wins.
 */
#ifndef TPROF_PERFMAP_H
#define TPROF_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parsed content of one file. */
struct perfmap;

/*
 * Copies the names only. Malformed lines are skipped. Returns NULL and sets errno: ENOMEM, E2BIG (it would take more
 * than @max_bytes).
 */
struct perfmap *perfmap_parse(const char *text, size_t size, size_t max_bytes);
void perfmap_free(struct perfmap *map);
/* Memory of the parsed map, in bytes. */
size_t perfmap_bytes(const struct perfmap *map);
/* Finds the function that covers @ip. @name is valid as long as the map. */
bool perfmap_find(const struct perfmap *map, uint64_t ip, const char **name, uint64_t *delta);
/* True if the function at @ip replaced another one in a line that begins at byte @old_bytes of the text or later. */
bool perfmap_has_changed(const struct perfmap *map, uint64_t ip, size_t old_bytes);

#endif
