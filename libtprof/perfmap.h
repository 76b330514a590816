/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Functions of just-in-time compilers, from the perf-PID.map that they write: one line "address size name"
 * each, with the latest word being true. What was read is kept when the process is gone.
 */
#ifndef TPROF_PERFMAP_H
#define TPROF_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "log.h"

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

/* The maps of all processes that were asked for. */
struct perfmaps;

/* What all of them together may take; a large application of Node has some 10 MB. Who comes later has no names. */
#define PERFMAPS_MAX_BYTES (128U << 20)

struct perfmaps *perfmaps_new(const struct log *log);
void perfmaps_free(struct perfmaps *maps);

/*
 * The same in the map of a process, which is looked for in its own /tmp and under its own pid first. It has
 * to belong to root or to the user of the process, and to be younger than the process. @name lives until
 * perfmaps_age().
 */
bool perfmaps_find(struct perfmaps *maps, pid_t tgid, uint64_t ip, const char **name, uint64_t *delta);

/*
 * Maps are looked at again from now on, each once; reads what has changed, and forgets processes that nobody asked for
 * in the last two ages.
 */
void perfmaps_age(struct perfmaps *maps);

#endif
