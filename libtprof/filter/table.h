/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Tables of a filter: two generations each (bpf/include/tprof/table.bpf.h), typed by BTF. Which one is in use is a
 * word of the object, for all its tables at once.
 *
 * To drain the tables is to change the word, to wait until no program runs that saw the old one, and then to read
 * and empty the old generations. So each count is read exactly once.
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
	struct value_layout key;
	struct value_layout value;
	struct table_drain drain;		/* once the object is loaded, if the kernel has that */
};

/* Recognizes the tables of an object; *tables is to be freed. Returns how many, or -errno. */
int tables_find(struct bpf_object *object, struct table **tables);

uint32_t table_max_entries(const struct table *table);
size_t table_value_bytes(const struct table *table);
/* How deep its stacks are; 0 if it is a table of something else. */
uint32_t table_stack_frames(const struct table *table);
/* Before the object is loaded. */
int table_set_max_entries(struct table *table, uint32_t entries);
/* Once the object is loaded: has the kernel's side of reading ready, as far as the kernel can. */
void table_prepare(struct table *table);
void tables_free(struct table *tables, size_t nr);

/*
 * Calls fn for each key of a generation, and empties it. Whatever fn does, all are read.
 * Returns how many there were, or -errno.
 */
int table_read(struct table *table, unsigned int generation, void (*fn)(void *ctx, const void *key, const void *value),
	       void *ctx);

#endif
