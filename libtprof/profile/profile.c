// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Profiles: entries and rows are merged, sorted, and returned to the caller. */
#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "jit_hint.h"
#include "ledger.h"

static const char *const mode_names[] = {
	[TPROF_MODE_UNKNOWN] = "unknown", [TPROF_MODE_USER] = "user", [TPROF_MODE_KERNEL] = "kernel",
	[TPROF_MODE_GUEST] = "guest",	  [TPROF_MODE_IDLE] = "idle",
};

const char *tprof_mode__name(enum tprof_mode mode)
{
	return (unsigned int)mode < sizeof(mode_names) / sizeof(mode_names[0]) ? mode_names[mode] : "unknown";
}

struct tprof_profile *profile_new(void)
{
	struct tprof_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->ledger.sz = sizeof(profile->ledger);
	profile->info.sz = sizeof(profile->info);
	profile->strings = intern_new();
	if (!profile->strings) {
		free(profile);
		return NULL;
	}
	return profile;
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

void tprof_profile__free(struct tprof_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->nr; i++)
		free(profile->entries[i]);
	for (size_t i = 0; i < profile->nr_tables; i++)
		table_fini(&profile->tables[i]);
	profile_free_call_stacks(profile);
	free(profile->entries);
	free(profile->tables);
	hash_fini(&profile->index);
	intern_free(profile->strings);
	free(profile);
}

const char *profile_keep(struct tprof_profile *profile, const char *name)
{
	return intern_name(profile->strings, name ? name : "");
}

int profile_warn(struct tprof_profile *profile, const char *warning)
{
	const char *before = profile->info.warnings, *kept;
	char *both;

	if (asprintf(&both, "%s%s%s", before ? before : "", before ? "; " : "", warning) < 0)
		return -ENOMEM;
	kept = profile_keep(profile, both);
	free(both);
	if (!kept)
		return -ENOMEM;
	profile->info.warnings = kept;
	return 0;
}

/* Replaces a string by the profile's copy; NULL by "". */
static int keep(struct tprof_profile *profile, const char **string)
{
	*string = profile_keep(profile, *string);
	return *string ? 0 : -ENOMEM;
}

int profile_set_info(struct tprof_profile *profile, const struct tprof_info *info)
{
	profile->info = *info;
	if (keep(profile, &profile->info.engine) || keep(profile, &profile->info.event) ||
	    keep(profile, &profile->info.unit))
		return -ENOMEM;
	if (info->warnings && keep(profile, &profile->info.warnings))
		return -ENOMEM;
	return info->fallback ? keep(profile, &profile->info.fallback) : 0;
}

/* Strings are interned, so their addresses identify them. */
static uint64_t entry_key(const struct tprof_entry *entry)
{
	uint64_t key = hash_mix((uintptr_t)entry->symbol, (uintptr_t)entry->object);

	key = hash_mix(key, (uintptr_t)entry->comm);
	key = hash_mix(key, (uintptr_t)entry->cgroup);
	key = hash_mix(key, (uint64_t)(uint32_t)entry->pid << 32 | (uint32_t)entry->cpu);
	key = hash_mix(key, (uintptr_t)entry->file);
	return hash_mix(key, (uint64_t)entry->line << 32 | (uint64_t)entry->inlined << 8 | entry->mode);
}

static bool same_entry(const struct tprof_entry *a, const struct tprof_entry *b)
{
	return a->symbol == b->symbol && a->object == b->object && a->comm == b->comm && a->cgroup == b->cgroup &&
	       a->pid == b->pid && a->cpu == b->cpu && a->mode == b->mode && a->file == b->file &&
	       a->line == b->line && a->inlined == b->inlined;
}

static int keep_all(struct tprof_profile *profile, struct tprof_entry *entry)
{
	return keep(profile, &entry->symbol) || keep(profile, &entry->object) || keep(profile, &entry->comm) ||
	       keep(profile, &entry->cgroup) || keep(profile, &entry->file) ? -ENOMEM : 0;
}

static struct profile_entry *find_kept(const struct tprof_profile *profile, const struct tprof_entry *wanted)
{
	struct hash_node *node = hash_find(&profile->index, entry_key(wanted));

	for (; node; node = hash_find_next(node)) {
		struct profile_entry *kept = (struct profile_entry *)node;

		if (same_entry(&kept->entry, wanted))
			return kept;
	}
	return NULL;
}

struct profile_entry *profile_find(struct tprof_profile *profile, const struct tprof_entry *entry)
{
	struct tprof_entry wanted = *entry;

	return keep_all(profile, &wanted) ? NULL : find_kept(profile, &wanted);
}

void profile_set_place(struct tprof_entry *entry, const struct tprof_frame *frame)
{
	entry->symbol = frame->symbol;
	entry->object = frame->object;
	entry->file = frame->file;
	entry->line = frame->line;
	entry->inlined = frame->inlined;
}

int profile_add(struct tprof_profile *profile, const struct tprof_entry *added)
{
	struct tprof_entry entry = *added;
	struct profile_entry *known, *made;

	if (keep_all(profile, &entry))
		return -ENOMEM;
	known = find_kept(profile, &entry);
	if (known) {
		known->entry.samples += entry.samples;
		known->entry.weight += entry.weight;
		return 0;
	}
	made = calloc(1, sizeof(*made));
	if (!made || array_grow_pointers(&profile->entries, profile->nr, &profile->capacity) ||
	    hash_add(&profile->index, &made->node, entry_key(&entry))) {
		free(made);
		return -ENOMEM;
	}
	made->entry = entry;
	profile->entries[profile->nr++] = made;
	return 0;
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
		copy[i].bytes = memcpy(at, cells[i].bytes, cells[i].size);
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

	if (!copy || keep(profile, &row.key) || keep(profile, &row.value)) {
		free(copy);
		return -ENOMEM;
	}
	for (node = hash_find(&table->index, (uintptr_t)row.key); node; node = hash_find_next(node)) {
		struct profile_row *known = (struct profile_row *)node;

		if (known->row.key != row.key)
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

static int heavier_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int ascending(int a, int b)
{
	return (a > b) - (a < b);
}

/* Compares all fields that distinguish entries, so that equal profiles give equal output. */
static int compare_entries(const void *a, const void *b)
{
	const struct tprof_entry *x = &(*(struct profile_entry *const *)a)->entry;
	const struct tprof_entry *y = &(*(struct profile_entry *const *)b)->entry;
	int order = heavier_first(x->weight, y->weight);

	if (!order)
		order = strcmp(x->symbol, y->symbol);
	if (!order)
		order = strcmp(x->object, y->object);
	if (!order)
		order = ascending(x->pid, y->pid);
	if (!order)
		order = strcmp(x->comm, y->comm);
	if (!order)
		order = strcmp(x->cgroup, y->cgroup);
	if (!order)
		order = ascending(x->cpu, y->cpu);
	if (!order)
		order = ascending((int)x->mode, (int)y->mode);
	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : ascending(x->inlined, y->inlined);
}

static int compare_rows(const void *a, const void *b)
{
	const struct tprof_row *x = &(*(struct profile_row *const *)a)->row;
	const struct tprof_row *y = &(*(struct profile_row *const *)b)->row;
	int order = heavier_first(x->weight, y->weight);

	if (!order)
		order = heavier_first(x->samples, y->samples);
	return order ? order : strcmp(x->key, y->key);
}

void profile_finish(struct tprof_profile *profile)
{
	uint64_t total = 0;

	for (size_t i = 0; i < profile->nr; i++)
		total += profile->entries[i]->entry.weight;
	for (size_t i = 0; i < profile->nr; i++) {
		struct tprof_entry *entry = &profile->entries[i]->entry;

		entry->percent = total ? 100.0 * (double)entry->weight / (double)total : 0;
	}
	if (profile->nr)
		qsort(profile->entries, profile->nr, sizeof(*profile->entries), compare_entries);
	profile_sort_call_stacks(profile);
	for (size_t i = 0; i < profile->nr_tables; i++) {
		struct profile_table *table = &profile->tables[i];

		if (table->nr)
			qsort(table->rows, table->nr, sizeof(*table->rows), compare_rows);
	}
	jit_hint_add(profile);
}

static int merge_tables(struct tprof_profile *into, const struct tprof_profile *from)
{
	for (size_t i = 0; i < from->nr_tables; i++) {
		const struct profile_table *table = &from->tables[i];

		if (i == into->nr_tables && profile_add_table(into, table->name) < 0)
			return -ENOMEM;
		for (size_t r = 0; r < table->nr; r++) {
			const struct profile_row *row = table->rows[r];

			if (profile_add_row(into, i, &row->row, row->cells, row->nr_cells))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Cannot overflow for one profile: its reader or collector has checked that. */
static struct tprof_tally sum_of_entries(const struct tprof_profile *profile)
{
	struct tprof_tally sum = { 0, 0 };

	for (size_t i = 0; i < profile->nr; i++) {
		sum.samples += profile->entries[i]->entry.samples;
		sum.weight += profile->entries[i]->entry.weight;
	}
	return sum;
}

static bool sums_fit(const struct tprof_profile *into, const struct tprof_profile *from)
{
	struct tprof_tally a = sum_of_entries(into), b = sum_of_entries(from);

	return a.samples <= UINT64_MAX - b.samples && a.weight <= UINT64_MAX - b.weight &&
	       into->duration_ns <= UINT64_MAX - from->duration_ns && ledger_can_add(&into->ledger, &from->ledger);
}

/* Keeps the last period: it may change between the profiles. */
static int merge_info(struct tprof_profile *profile, const struct tprof_info *from)
{
	struct tprof_info *into = &profile->info;

	into->period = from->period;
	if (into->rate_hz != from->rate_hz)
		into->rate_hz = 0;
	if (into->nr_cpus != from->nr_cpus)
		into->nr_cpus = 0;
	if (into->nr_online != from->nr_online)
		into->nr_online = 0;
	if (!into->fallback && from->fallback) {
		into->fallback = from->fallback;
		if (keep(profile, &into->fallback))
			return -ENOMEM;
	}
	if (!strcmp(into->engine, from->engine))
		return 0;
	into->engine = "several";
	return keep(profile, &into->engine);
}

int tprof_profile__merge(struct tprof_profile *into, const struct tprof_profile *from)
{
	if (strcmp(into->info.event, from->info.event) != 0 || strcmp(into->info.unit, from->info.unit) != 0)
		return -EINVAL;
	if (!sums_fit(into, from))
		return -ERANGE;
	for (size_t i = 0; i < from->nr; i++) {
		if (profile_add(into, &from->entries[i]->entry))
			return -ENOMEM;
	}
	if (profile_merge_call_stacks(into, from) || merge_tables(into, from) || merge_info(into, &from->info))
		return -ENOMEM;
	ledger_add(&into->ledger, &from->ledger);
	into->duration_ns += from->duration_ns;
	profile_finish(into);
	return 0;
}

size_t tprof_profile__nr_entries(const struct tprof_profile *profile)
{
	return profile->nr;
}

const struct tprof_entry *tprof_profile__entry(const struct tprof_profile *profile, size_t index)
{
	return index < profile->nr ? &profile->entries[index]->entry : NULL;
}

const struct tprof_ledger *tprof_profile__ledger(const struct tprof_profile *profile)
{
	return &profile->ledger;
}

const struct tprof_info *tprof_profile__info(const struct tprof_profile *profile)
{
	return &profile->info;
}

uint64_t tprof_profile__duration_ns(const struct tprof_profile *profile)
{
	return profile->duration_ns;
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
