// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The tables of a profile: rows with equal keys are merged, and sorted at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile.h"

/* Replaces a string by the profile's copy; NULL by "". */
static int keep(struct tprof_profile *profile, const char **string)
{
	*string = profile_keep(profile, *string);
	return *string ? 0 : -ENOMEM;
}

static void table_fini(struct profile_table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		free(table->rows[i]->cells);
		free(table->rows[i]);
	}
	free(table->rows);
	hash_fini(&table->index);
}

void profile_free_tables(struct tprof_profile *profile)
{
	for (size_t i = 0; i < profile->nr_tables; i++)
		table_fini(&profile->tables[i]);
	free(profile->tables);
}

int profile_add_table(struct tprof_profile *profile, const char *name)
{
	struct profile_table *grown;

	if (keep(profile, &name))
		return -ENOMEM;
	grown = array_grow(profile->tables, profile->nr_tables, &profile->tables_capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	profile->tables = grown;
	grown[profile->nr_tables] = (struct profile_table){ .name = name };
	return (int)profile->nr_tables++;
}

/* Copies cells into one block, with their bytes; names are interned. NULL if there is no memory. */
static struct tprof_cell *copy_cells(struct tprof_profile *profile, const struct tprof_cell *cells, size_t nr)
{
	struct tprof_cell *copy;
	size_t bytes = 0;
	char *at;

	for (size_t i = 0; i < nr; i++)
		bytes += cells[i].size;
	copy = malloc(nr * sizeof(*copy) + bytes + 1);
	at = (char *)(copy + nr);
	for (size_t i = 0; copy && i < nr; i++) {
		copy[i] = cells[i];
		copy[i].bytes = at;
		/* A cell without bytes may have no address. */
		if (cells[i].size)
			memcpy(at, cells[i].bytes, cells[i].size);
		at += cells[i].size;
		if (keep(profile, &copy[i].name) || keep(profile, &copy[i].text) || keep(profile, &copy[i].object)) {
			free(copy);
			return NULL;
		}
	}
	return copy;
}

int profile_add_row(struct tprof_profile *profile, size_t index, const struct tprof_row *added,
		    const struct tprof_cell *cells, size_t nr_cells)
{
	struct profile_table *table = &profile->tables[index];
	struct tprof_cell *copy = copy_cells(profile, cells, nr_cells);
	struct tprof_row row = *added;
	struct hash_node *node;
	struct profile_row *made;

	if (!copy || keep(profile, &row.key) || keep(profile, &row.value) ||
	    (row.series && keep(profile, &row.series))) {
		free(copy);
		return -ENOMEM;
	}
	for (node = hash_find(&table->index, (uintptr_t)row.key); node; node = hash_find_next(node)) {
		struct profile_row *known = (struct profile_row *)node;

		if (known->row.key != row.key || known->row.event != row.event)
			continue;
		known->row.value = row.value;
		known->row.samples += row.samples;
		known->row.weight += row.weight;
		free(known->cells);
		known->cells = copy;
		known->nr_cells = nr_cells;
		return 0;
	}
	made = calloc(1, sizeof(*made));
	if (!made || array_grow_pointers(&table->rows, table->nr, &table->capacity) ||
	    hash_add(&table->index, &made->node, (uintptr_t)row.key)) {
		free(made);
		free(copy);
		return -ENOMEM;
	}
	made->row = row;
	made->cells = copy;
	made->nr_cells = nr_cells;
	table->rows[table->nr++] = made;
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct tprof_row *x = &(*(struct profile_row *const *)a)->row;
	const struct tprof_row *y = &(*(struct profile_row *const *)b)->row;
	int order = (x->event > y->event) - (x->event < y->event);

	if (!order)
		order = (x->weight < y->weight) - (x->weight > y->weight);
	if (!order)
		order = (x->samples < y->samples) - (x->samples > y->samples);
	return order ? order : strcmp(x->key, y->key);
}

void profile_sort_tables(struct tprof_profile *profile)
{
	for (size_t i = 0; i < profile->nr_tables; i++) {
		struct profile_table *table = &profile->tables[i];

		if (table->nr)
			qsort(table->rows, table->nr, sizeof(*table->rows), compare_rows);
	}
}

/* Number of tables of that name among the first @nr. */
static size_t nr_named(const struct tprof_profile *profile, size_t nr, const char *name)
{
	size_t found = 0;

	for (size_t i = 0; i < nr; i++)
		found += strcmp(profile->tables[i].name, name) == 0;
	return found;
}

/*
 * The table that takes the rows of a table of another profile: the one with its name or, of several with that name, the
 * one with its number. Returns the index, or -ENOMEM.
 */
static int counterpart(struct tprof_profile *into, const struct tprof_profile *from, size_t index)
{
	const char *name = from->tables[index].name;
	size_t before = nr_named(from, index, name), i = 0;

	while (i < into->nr_tables && (strcmp(into->tables[i].name, name) != 0 || before--))
		i++;
	return i < into->nr_tables ? (int)i : profile_add_table(into, name);
}

int profile_merge_tables(struct tprof_profile *into, const struct tprof_profile *from)
{
	for (size_t i = 0; i < from->nr_tables; i++) {
		const struct profile_table *table = &from->tables[i];
		int index = counterpart(into, from, i);

		for (size_t r = 0; r < table->nr && index >= 0; r++) {
			const struct profile_row *row = table->rows[r];

			if (profile_add_row(into, (size_t)index, &row->row, row->cells, row->nr_cells))
				return -ENOMEM;
		}
		if (index < 0)
			return index;
	}
	return 0;
}

size_t tprof_profile__nr_tables(const struct tprof_profile *profile)
{
	return profile->nr_tables;
}

const char *tprof_profile__table_name(const struct tprof_profile *profile, size_t table)
{
	return table < profile->nr_tables ? profile->tables[table].name : NULL;
}

size_t tprof_profile__nr_rows(const struct tprof_profile *profile, size_t table)
{
	return table < profile->nr_tables ? profile->tables[table].nr : 0;
}

size_t tprof_profile__nr_cells(const struct tprof_profile *profile, size_t table, size_t row)
{
	return row < tprof_profile__nr_rows(profile, table) ? profile->tables[table].rows[row]->nr_cells : 0;
}

const struct tprof_cell *tprof_profile__cell(const struct tprof_profile *profile, size_t table, size_t row, size_t cell)
{
	if (cell >= tprof_profile__nr_cells(profile, table, row))
		return NULL;
	return &profile->tables[table].rows[row]->cells[cell];
}

const struct tprof_row *tprof_profile__row(const struct tprof_profile *profile, size_t table, size_t row)
{
	return row < tprof_profile__nr_rows(profile, table) ? &profile->tables[table].rows[row]->row : NULL;
}
