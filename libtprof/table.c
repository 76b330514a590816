// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Tables of a filter: found by their shape, drained without loss. */
#include "table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof/object.h"

/* Bytes copied out of the kernel by one call; more saves no time worth having. */
#define BATCH_BYTES (32 * 1024)

static struct bpf_map *find_generation(struct bpf_object *object, const char *name, const char *suffix)
{
	char full[TPROF_NAME_MAX + 1];
	int length = snprintf(full, sizeof(full), "%s%s", name, suffix);

	if (length < 0 || (size_t)length >= sizeof(full))
		return NULL;
	return bpf_object__find_map_by_name(object, full);
}

static bool type_is_named(const struct btf *btf, uint32_t type_id, const char *name)
{
	const struct btf_type *type = btf__type_by_id(btf, type_id);

	return type && strcmp(btf__name_by_offset(btf, type->name_off), name) == 0;
}

static int table_init(struct table *table, struct bpf_object *object, struct bpf_map *slot)
{
	const struct btf *btf = bpf_object__btf(object);
	uint32_t value_type;
	int err;

	memset(table, 0, sizeof(*table));
	table->name = bpf_map__name(slot);
	table->slot = slot;
	table->generations[0] = find_generation(object, table->name, TPROF_GENERATION_A);
	table->generations[1] = find_generation(object, table->name, TPROF_GENERATION_B);
	if (!btf || !table->generations[0] || !table->generations[1])
		return -ENOENT;
	err = value_layout_init(&table->key, btf, bpf_map__btf_key_type_id(table->generations[0]));
	if (err)
		return err;
	value_type = bpf_map__btf_value_type_id(table->generations[0]);
	table->stacks = type_is_named(btf, value_type, "tprof_stack");
	table->tally = type_is_named(btf, value_type, "tprof_tally");
	return table->stacks ? 0 : value_layout_init(&table->value, btf, value_type);
}

int tables_find(struct bpf_object *object, struct table **tables)
{
	struct bpf_map *map;
	struct table *found = NULL;
	int nr = 0, err;

	bpf_object__for_each_map(map, object)
		nr += bpf_map__type(map) == BPF_MAP_TYPE_ARRAY_OF_MAPS;
	if (nr) {
		found = calloc((size_t)nr, sizeof(*found));
		if (!found)
			return -ENOMEM;
	}
	nr = 0;
	bpf_object__for_each_map(map, object) {
		if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY_OF_MAPS)
			continue;
		err = table_init(&found[nr], object, map);
		if (err == 0)
			nr++;
		else if (err != -ENOENT) {
			free(found);
			return err;
		}
	}
	*tables = found;
	return nr;
}

uint32_t table_max_entries(const struct table *table)
{
	return bpf_map__max_entries(table->generations[0]);
}

int table_set_max_entries(struct table *table, uint32_t entries)
{
	int err = bpf_map__set_max_entries(table->generations[0], entries);

	if (err == 0)
		err = bpf_map__set_max_entries(table->generations[1], entries);
	return err;
}

int table_swap(struct table *table)
{
	uint32_t zero = 0;
	int other = bpf_map__fd(table->generations[!table->current]);

	if (bpf_map_update_elem(bpf_map__fd(table->slot), &zero, &other, BPF_ANY))
		return -errno;
	table->current = !table->current;
	return 0;
}

struct batch {
	char *keys, *values;
	uint32_t room;
	uint32_t key_bytes, value_bytes;
	uint64_t cursor[32];	/* opaque to us; the kernel wants a key or four bytes, whichever is larger */
};

static int batch_alloc(struct batch *batch, uint32_t room)
{
	free(batch->keys);
	free(batch->values);
	batch->room = room;
	batch->keys = malloc((size_t)room * batch->key_bytes);
	batch->values = malloc((size_t)room * batch->value_bytes);
	return batch->keys && batch->values ? 0 : -ENOMEM;
}

/* Reads and removes some entries. Returns how many (0: none left), or -errno. */
static int batch_take(struct batch *batch, int fd, bool first)
{
	uint32_t count;
	int err;

	do {
		count = batch->room;
		err = bpf_map_lookup_and_delete_batch(fd, first ? NULL : batch->cursor, batch->cursor, batch->keys,
						      batch->values, &count, NULL);
		/* ENOSPC: one bucket alone has more entries than there is room for. Nothing was taken. */
		if (err == -ENOSPC && batch_alloc(batch, batch->room * 2))
			return -ENOMEM;
	} while (err == -ENOSPC);
	return err == 0 || err == -ENOENT ? (int)count : err;
}

int table_read(struct table *table, void (*fn)(void *ctx, const void *key, const void *value), void *ctx)
{
	int fd = bpf_map__fd(table->generations[!table->current]);
	struct batch batch = {
		.key_bytes = bpf_map__key_size(table->generations[0]),
		.value_bytes = bpf_map__value_size(table->generations[0]),
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
