// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Tables of a filter: recognized by names and types, drained without loss. */
#include "table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof/object.h"

/* Bytes that one call copies from the kernel. More saves little time. */
#define BATCH_BYTES (32 * 1024)
/*
 * Number of program runs before batch reads take over. Each run of the program begins at the first bucket, so in a
 * table of millions of entries it would spend its time on the emptied buckets; batch reads continue where they stopped.
 */
#define MAX_DRAINS 32

/*
 * Samples a second up to which the stacks between two readings fit into a table of the usual size, also if the client
 * is not scheduled for some hundred milliseconds. Above, the table is up to MAX_SCALE times as large.
 */
#define USUAL_RATE 10000
#define MAX_SCALE 8
#define MAX_FITTED_BYTES (32 << 20)	/* of a generation */

/* If the map is the first generation of a table, stores the table's name without the suffix, and both generations. */
static bool is_table(struct table *table, struct bpf_object *object, struct bpf_map *map)
{
	const char *full = bpf_map__name(map);
	size_t length = strlen(full), suffix = strlen(TPROF_GENERATION_A);
	char other[TPROF_NAME_MAX + 1];

	*table = (struct table){ .generations = { map, NULL } };
	if (length <= suffix || length > TPROF_NAME_MAX || strcmp(full + length - suffix, TPROF_GENERATION_A) != 0)
		return false;
	memcpy(table->name, full, length - suffix);
	snprintf(other, sizeof(other), "%s%s", table->name, TPROF_GENERATION_B);
	table->generations[1] = bpf_object__find_map_by_name(object, other);
	return table->generations[1];
}

static bool type_is_named(const struct btf *btf, uint32_t type_id, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, type_id);
	const char *own = type ? btf__name_by_offset(btf, type->name_off) : NULL;

	return own && strcmp(own, name) == 0;
}

static int read_types(struct table *table, const struct btf *btf)
{
	uint32_t value_type = bpf_map__btf_value_type_id(table->generations[0]);
	int err = btf ? value_layout_init(&table->key, btf, bpf_map__btf_key_type_id(table->generations[0])) : -EINVAL;

	if (err)
		return err;
	table->stacks = type_is_named(btf, value_type, "tprof_stack");
	table->tally = type_is_named(btf, value_type, "tprof_tally");
	return table->stacks ? 0 : value_layout_init(&table->value, btf, value_type);
}

int tables_find(struct bpf_object *object, struct table **tables)
{
	struct bpf_map *map;
	struct table *found, probe;
	int nr = 0, err = 0;

	bpf_object__for_each_map(map, object)
		nr += is_table(&probe, object, map);
	found = calloc((size_t)nr + 1, sizeof(*found));
	if (!found)
		return -ENOMEM;
	nr = 0;
	bpf_object__for_each_map(map, object) {
		if (!err && is_table(&found[nr], object, map))
			err = read_types(&found[nr++], bpf_object__btf(object));
	}
	if (err) {
		free(found);
		return err;
	}
	*tables = found;
	return nr;
}

bool table_has_place(const struct table *table)
{
	return value_layout_find(&table->key, VALUE_IP) || value_layout_find(&table->key, VALUE_STACK);
}

uint32_t table_max_entries(const struct table *table)
{
	return bpf_map__max_entries(table->generations[0]);
}

size_t table_value_bytes(const struct table *table)
{
	return bpf_map__value_size(table->generations[0]);
}

uint32_t table_stack_frames(const struct table *table)
{
	const size_t frame = sizeof(((struct tprof_stack *)NULL)->ip[0]);

	return table->stacks ? (uint32_t)((table_value_bytes(table) - offsetof(struct tprof_stack, ip)) / frame) : 0;
}

int table_set_max_entries(struct table *table, uint32_t entries)
{
	int err = bpf_map__set_max_entries(table->generations[0], entries);

	if (err == 0)
		err = bpf_map__set_max_entries(table->generations[1], entries);
	return err;
}

uint32_t table_entries_for(uint32_t entries, size_t value_bytes, uint64_t samples_per_second)
{
	uint64_t fitting = entries;

	for (uint64_t rate = USUAL_RATE; rate < samples_per_second && rate < USUAL_RATE * MAX_SCALE; rate *= 2) {
		if (fitting * 2 * value_bytes > MAX_FITTED_BYTES)
			break;
		fitting *= 2;
	}
	return (uint32_t)fitting;
}

int table_fit_rate(struct table *table, uint64_t samples_per_second)
{
	uint32_t entries = table_max_entries(table);

	if (!table->stacks || table->is_set)
		return 0;
	return table_set_max_entries(table, table_entries_for(entries, table_value_bytes(table), samples_per_second));
}

struct batch {
	char *keys, *values;
	uint32_t capacity;
	uint32_t key_bytes, value_bytes;
	uint64_t cursor[32];	/* opaque; the kernel needs the size of a key or four bytes, whichever is larger */
};

static int batch_alloc(struct batch *batch, uint32_t capacity)
{
	free(batch->keys);
	free(batch->values);
	batch->capacity = capacity;
	batch->keys = malloc((size_t)capacity * batch->key_bytes);
	batch->values = malloc((size_t)capacity * batch->value_bytes);
	return batch->keys && batch->values ? 0 : -ENOMEM;
}

/* Reads and removes some entries. Returns how many (0: none left), or -errno. */
static int batch_take(struct batch *batch, int fd, bool first)
{
	uint32_t count;
	int err;

	do {
		count = batch->capacity;
		err = bpf_map_lookup_and_delete_batch(fd, first ? NULL : batch->cursor, batch->cursor, batch->keys,
						      batch->values, &count, NULL);
		/* ENOSPC: one bucket has more entries than fit. No entry was removed. */
		if (err == -ENOSPC && batch_alloc(batch, batch->capacity * 2))
			return -ENOMEM;
	} while (err == -ENOSPC);
	return err == 0 || err == -ENOENT ? (int)count : err;
}

void table_prepare(struct table *table)
{
	const int fds[] = { bpf_map__fd(table->generations[0]), bpf_map__fd(table->generations[1]) };

	table_drain_open(&table->drain, fds);
}

void tables_free(struct table *tables, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		table_drain_close(&tables[i].drain);
	free(tables);
}

/* Returns the number of entries read, or -errno. *done: the table is empty. */
static int read_by_program(const struct table *table, unsigned int generation, bool *done,
			   void (*fn)(void *ctx, const void *key, const void *value), void *ctx)
{
	const struct table_drain *drain = &table->drain;
	int total = 0;

	*done = false;
	if (!drain->entries)
		return 0;
	for (int i = 0; i < MAX_DRAINS && !*done; i++) {
		bool left;
		int moved = table_drain_run(drain, generation, &left);

		if (moved < 0)
			return moved;
		for (int e = 0; e < moved; e++) {
			const char *entry = drain->entries + (size_t)e * drain->entry_bytes;

			fn(ctx, entry, entry + drain->value_offset);
		}
		total += moved;
		if (left)
			break;
		*done = (uint32_t)moved < drain->capacity;
	}
	return total;
}

static int read_by_batches(const struct table *table, unsigned int generation,
			   void (*fn)(void *ctx, const void *key, const void *value), void *ctx)
{
	int fd = bpf_map__fd(table->generations[generation]);
	struct batch batch = {
		.key_bytes = bpf_map__key_size(table->generations[0]),
		.value_bytes = (uint32_t)table_value_bytes(table),
	};
	int err, taken, total = 0;

	err = batch_alloc(&batch, 1 + BATCH_BYTES / (batch.key_bytes + batch.value_bytes));
	while (err == 0) {
		taken = batch_take(&batch, fd, total == 0);
		if (taken <= 0) {
			err = taken;
			break;
		}
		for (int i = 0; i < taken; i++)
			fn(ctx, batch.keys + (size_t)i * batch.key_bytes, batch.values + (size_t)i * batch.value_bytes);
		total += taken;
	}
	free(batch.keys);
	free(batch.values);
	return err ? err : total;
}

int table_read(struct table *table, unsigned int generation,
	       void (*fn)(void *ctx, const void *key, const void *value), void *ctx)
{
	bool done;
	int read = read_by_program(table, generation, &done, fn, ctx), rest;

	if (read < 0 || done)
		return read;
	rest = read_by_batches(table, generation, fn, ctx);
	return rest < 0 ? rest : read + rest;
}
