/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Tables of a filter: two generations behind a slot (bpf/include/tprof/table.bpf.h), typed by BTF.
 *
 * To drain a table is to swap its generations, and then to read and empty the old one in batches. So each count
 * is read exactly once.
 */
#ifndef TPROF_TABLE_H
#define TPROF_TABLE_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "value.h"

struct table {
	const char *name;
	struct bpf_map *slot;
	struct bpf_map *generations[2];
	unsigned int current;			/* generation that programs count in */
	bool stacks;				/* a TPROF_STACKS: values are struct tprof_stack */
	bool tally;				/* values are struct tprof_tally */
	struct value_layout key;
	struct value_layout value;
};

/* Recognizes the tables of an object; *tables is to be freed. Returns how many, or -errno. */
int tables_find(struct bpf_object *object, struct table **tables);

uint32_t table_max_entries(const struct table *table);
/* Before the object is loaded. */
int table_set_max_entries(struct table *table, uint32_t entries);

/*
 * Puts the other generation into the slot. When it returns no program uses the old one any more, and the old one
 * can be read. Returns 0 or -errno.
 */
int table_swap(struct table *table);

/*
 * Calls fn for each key of the generation that is not in use, and empties it. Whatever fn does, all are read.
 * Returns how many there were, or -errno.
 */
int table_read(struct table *table, void (*fn)(void *ctx, const void *key, const void *value), void *ctx);

#endif
