/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Tables of a filter: two generations each (bpf/include/tprof/table.bpf.h), typed by BTF. One word of the object
 * selects the generation in use, for all its tables at once.
 *
 * Draining: change the word, wait until no program runs that read the old value, then read and empty the old
 * generation. So each count is read exactly once.
 */
#ifndef TPROF_TABLE_H
#define TPROF_TABLE_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "table_drain.h"
#include "tprof/object.h"
#include "value.h"

struct table {
	char name[TPROF_TABLE_NAME_MAX + 1];
	struct bpf_map *generations[2];
	bool stacks;				/* a TPROF_STACKS: values are struct tprof_stack */
	bool tally;				/* values are struct tprof_tally */
	bool is_set;				/* the client has set its capacity */
	struct value_layout key;
	struct value_layout value;
	struct table_drain drain;		/* valid once the object is loaded, if the kernel supports it */
};

/* Finds the tables of an object. The caller frees *tables. Returns their number, or -errno. */
int tables_find(struct bpf_object *object, struct table **tables);

/* True if its key has an address or a stack. */
bool table_has_place(const struct table *table);
uint32_t table_max_entries(const struct table *table);
size_t table_value_bytes(const struct table *table);
/* Maximum frames of its stacks; 0 if it is not a stack table. */
uint32_t table_stack_frames(const struct table *table);
/* Call before the object is loaded. */
int table_set_max_entries(struct table *table, uint32_t entries);
/*
 * Enlarges a stack table whose capacity the client has not set for a rate, of all CPUs together, that is higher than
 * usual. Call before the object is loaded.
 */
uint32_t table_entries_for(uint32_t entries, size_t value_bytes, uint64_t samples_per_second);
int table_fit_rate(struct table *table, uint64_t samples_per_second);
/* Call once the object is loaded: prepares the kernel side of draining, if the kernel supports it. */
void table_prepare(struct table *table);
void tables_free(struct table *tables, size_t nr);

/* Calls fn for each key of a generation, and empties it; fn cannot stop it. Returns the number of keys, or -errno. */
int table_read(struct table *table, unsigned int generation, void (*fn)(void *ctx, const void *key, const void *value),
	       void *ctx);

#endif
