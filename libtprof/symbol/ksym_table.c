// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Symbols of the kernel in order of address: 12 bytes and a name each.
 *
 * kallsyms lists where functions begin, not where they end. So all other symbols, the ends of sections and modules, and
 * the padding before functions (__pfx_*, half of all symbols) are kept as entries without a name: an address behind one
 * of them is not attributed to the function before it.
 */
#include "ksym_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kallsyms.h"

/* The largest functions have 40 kB. Only in modules and BPF programs may a function have no symbol behind it. */
#define MAX_FAR_BYTES 65536
#define MAX_OBJECTS UINT16_MAX

/* name: 30 bits of offset into names (0: none); the highest bit: an object number precedes the name. */
#define NAME_PLACE 0x3fffffffu
#define NAME_HAS_OBJECT (1u << 31)
/* Before sorting only: marks the end of the module whose object number is in the other bits. */
#define NAME_IS_END (1u << 30)

struct ksym {
	uint64_t start;
	uint32_t name;
} __attribute__((packed));

static int append_name(struct ksym_table *table, const void *bytes, size_t size)
{
	char *grown;

	if (table->names_size + size > NAME_PLACE)
		return -E2BIG;
	grown = array_reserve(table->names, table->names_size + size, &table->names_capacity, 1);
	if (!grown)
		return -ENOMEM;
	table->names = grown;
	memcpy(table->names + table->names_size, bytes, size);
	table->names_size += size;
	return 0;
}

/*
 * Keeps the memory for the next reading: if megabytes were freed and allocated again, the allocator would take them
 * from the heap and leave a hole of that size there.
 */
int ksym_table_begin(struct ksym_table *table)
{
	table->nr = table->names_size = table->nr_objects = 0;
	table->after_text = false;
	return append_name(table, "", 1);
}

void ksym_table_fini(struct ksym_table *table)
{
	free(table->syms);
	free(table->names);
	free(table->objects);
	*table = (struct ksym_table){ 0 };
}

static int add(struct ksym_table *table, uint64_t start, uint32_t name)
{
	struct ksym *grown = array_grow(table->syms, table->nr, &table->capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	table->syms = grown;
	table->syms[table->nr++] = (struct ksym){ start, name };
	return 0;
}

/* The object number of a module, -ENOENT if it has no symbols. Symbols of one module are contiguous in the file. */
static int find_object(const struct ksym_table *table, const char *object, size_t length)
{
	for (size_t i = table->nr_objects; i > 0; i--) {
		if (!strncmp(table->objects[i - 1], object, length) && !table->objects[i - 1][length])
			return (int)(i - 1);
	}
	return -ENOENT;
}

static int object_number(struct ksym_table *table, const char *object, size_t length)
{
	char (*grown)[PROC_COMM_LEN];
	int number;

	if (length >= sizeof(*grown))
		length = sizeof(*grown) - 1;
	number = find_object(table, object, length);
	if (number >= 0)
		return number;
	if (table->nr_objects == MAX_OBJECTS)
		return -E2BIG;
	grown = array_grow(table->objects, table->nr_objects, &table->objects_capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	table->objects = grown;
	memcpy(grown[table->nr_objects], object, length);
	grown[table->nr_objects][length] = '\0';
	return (int)table->nr_objects++;
}

static int add_function(struct ksym_table *table, uint64_t start, const struct ksym_name *name)
{
	uint32_t packed = 0;
	int err = 0;

	if (name->object_length) {
		int number = object_number(table, name->object, name->object_length);
		uint16_t prefix = (uint16_t)number;

		if (number < 0)
			return number;
		packed |= NAME_HAS_OBJECT;
		err = append_name(table, &prefix, sizeof(prefix));
	}
	packed |= table->names_size;
	if (!err)
		err = append_name(table, name->name, name->name_length);
	if (!err)
		err = append_name(table, "", 1);
	return err ? err : add(table, start, packed);
}

static int add_line(struct ksym_table *table, const char *line, const char *end)
{
	struct kallsyms_line sym;

	if (!kallsyms_parse(line, end, &sym))
		return 0;
	if (sym.is_function) {
		table->after_text = true;
		return add_function(table, sym.start, &(struct ksym_name){
				sym.name, sym.object, sym.name_length, sym.object_length,
			});
	}
	if (!table->after_text)
		return 0;
	table->after_text = false;
	return add(table, sym.start, 0);
}

ssize_t ksym_table_parse(struct ksym_table *table, const char *text, size_t size)
{
	const char *line = text, *end;

	while ((end = memchr(line, '\n', text + size - line))) {
		int err = add_line(table, line, end);

		if (err)
			return err;
		line = end + 1;
	}
	return line - text;
}

int ksym_table_add_ends(struct ksym_table *table, const struct kmodule_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct kmodule *module = &list->modules[i];
		int number = find_object(table, module->name, strlen(module->name));

		if (number >= 0 && add(table, module->end, NAME_IS_END | (uint32_t)number))
			return -ENOMEM;
	}
	return 0;
}

static int compare_starts(const void *left, const void *right)
{
	const struct ksym *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Symbols of the core kernel are sorted already and are most of the file; those of modules and BPF programs follow. */
static void sort(struct ksym *syms, size_t nr)
{
	uint64_t least = UINT64_MAX;
	size_t sorted = 1;

	while (sorted < nr && syms[sorted].start >= syms[sorted - 1].start)
		sorted++;
	if (sorted >= nr)
		return;
	for (size_t i = sorted; i < nr; i++)
		least = syms[i].start < least ? syms[i].start : least;
	while (sorted && syms[sorted - 1].start > least)
		sorted--;
	qsort(syms + sorted, nr - sorted, sizeof(*syms), compare_starts);
}

/* The object number of a symbol that has one. */
static uint16_t number_of(const struct ksym_table *table, const struct ksym *sym)
{
	uint16_t number;

	memcpy(&number, table->names + (sym->name & NAME_PLACE) - sizeof(number), sizeof(number));
	return number;
}

/*
 * True for the end of a module that the symbol before does not belong to. A module's size covers text and data, which
 * are not contiguous, so its computed end can lie within functions of another module.
 */
static bool is_foreign_end(const struct ksym_table *table, const struct ksym *sym, const struct ksym *before)
{
	if (!sym->name || !(sym->name & NAME_IS_END))
		return false;
	if (!before || !(before->name & NAME_HAS_OBJECT))
		return true;
	return number_of(table, before) != (sym->name & NAME_PLACE);
}

/*
 * Of several functions at one address, the kernel takes the one that it lists first, which has the fewest leading
 * underscores. So do its own stack traces, and kernel_names_ask().
 */
static bool is_better(uint32_t a, uint32_t b)
{
	return a && (!b || (a & NAME_PLACE) < (b & NAME_PLACE));
}

void ksym_table_finish(struct ksym_table *table)
{
	struct ksym *syms = table->syms;
	size_t nr = 0;

	sort(syms, table->nr);
	for (size_t i = 0; i < table->nr; i++) {
		if (is_foreign_end(table, &syms[i], nr ? &syms[nr - 1] : NULL))
			continue;
		if (syms[i].name & NAME_IS_END)
			syms[i].name = 0;
		if (nr && syms[nr - 1].start == syms[i].start) {
			if (is_better(syms[i].name, syms[nr - 1].name))
				syms[nr - 1] = syms[i];
		} else if (!nr || syms[i].name || syms[nr - 1].name) {
			syms[nr++] = syms[i];
		}
	}
	table->nr = nr;
	table->syms = array_trim(syms, nr, &table->capacity, sizeof(*syms));
	table->names = array_trim(table->names, table->names_size, &table->names_capacity, 1);
}

/* The last entry that starts at or before @ip, or NULL. */
static const struct ksym *find_entry(const struct ksym_table *table, uint64_t ip)
{
	size_t low = 0, high = table->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->syms[middle].start <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &table->syms[low - 1] : NULL;
}

/* Makes the last entry the one at @index. */
static void move_last(struct ksym_table *table, size_t index)
{
	const struct ksym last = table->syms[table->nr - 1];

	memmove(&table->syms[index + 1], &table->syms[index], (table->nr - 1 - index) * sizeof(last));
	table->syms[index] = last;
}

/* The index of the first entry that starts behind @start. */
static size_t index_behind(const struct ksym_table *table, uint64_t start)
{
	const struct ksym *entry = find_entry(table, start);

	return entry ? (size_t)(entry - table->syms) + 1 : 0;
}

int ksym_table_insert(struct ksym_table *table, uint64_t start, uint64_t end, const struct ksym_name *name)
{
	size_t index = index_behind(table, start);
	int err = add_function(table, start, name);

	if (err)
		return err;
	if (index && table->syms[index - 1].start == start)
		table->syms[index - 1] = table->syms[--table->nr];
	else
		move_last(table, index++);
	if (index < table->nr && table->syms[index].start <= end)
		return 0;
	err = add(table, end, 0);
	if (!err)
		move_last(table, index);
	return err;
}

/* Symbols of the core kernel always have another symbol behind them; those of modules and BPF programs may not. */
static bool is_open_end(const struct ksym_table *table, const struct ksym *sym)
{
	return sym->name & NAME_HAS_OBJECT || sym == &table->syms[table->nr - 1];
}

static const char *object_of(const struct ksym_table *table, const struct ksym *sym)
{
	return sym->name & NAME_HAS_OBJECT ? table->objects[number_of(table, sym)] : "[kernel]";
}

/* The entry with a name that @ip belongs to, or NULL. */
static const struct ksym *find_owner(const struct ksym_table *table, uint64_t ip)
{
	const struct ksym *sym = find_entry(table, ip), *next = sym ? sym + 1 : table->syms;

	if (sym && (!sym->name || (is_open_end(table, sym) && ip - sym->start >= MAX_FAR_BYTES)))
		sym = NULL;
	if (next == table->syms + table->nr || next->start != ip + 1 || !next->name)
		return sym;
	return sym && strcmp(object_of(table, next), "[bpf]") ? sym : next;
}


bool ksym_table_find(const struct ksym_table *table, uint64_t ip, struct ksym_found *found)
{
	const struct ksym *sym = find_owner(table, ip), *next = sym ? sym + 1 : NULL;

	if (!sym)
		return false;
	*found = (struct ksym_found){
		.start = sym->start, .is_last_byte = next < table->syms + table->nr && next->start == ip + 1,
		.name = table->names + (sym->name & NAME_PLACE), .object = object_of(table, sym),
	};
	return true;
}
