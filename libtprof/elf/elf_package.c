// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Extracts units from a package. All units share the string section; an image gets only the strings that its unit
 * refers to. Each unit has its own table of string offsets, which is adjusted.
 */
#include "elf_package.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf_strings.h"
#include "elf_symbols.h"
#include "elf_unpack.h"

/* For a browser with 60,000 units the index has 5 MiB. */
#define MAX_INDEX_BYTES (256U << 20)
/* Limit for one unit; those of generated code have some dozens of MiB. */
#define MAX_UNIT_BYTES (256U << 20)
/* A compressed section has to be decompressed as a whole. */
#define MAX_UNPACKED_BYTES (1U << 30)

#define MAX_COLUMNS 16

enum part {
	PART_INFO,
	PART_ABBREV,
	PART_LINE,
	PART_OFFSETS,		/* string offsets */
	PART_RANGES,
	PART_STRINGS,		/* not in the index */
	NR_PARTS,
};

/* Column numbers (DW_SECT_*) of the index. Among those used here, only 8 has another meaning in version 2. */
static const struct {
	const char *name;
	uint32_t column;
} parts[NR_PARTS] = {
	[PART_INFO]	= { ".debug_info.dwo", 1 },
	[PART_ABBREV]	= { ".debug_abbrev.dwo", 3 },
	[PART_LINE]	= { ".debug_line.dwo", 4 },
	[PART_OFFSETS]	= { ".debug_str_offsets.dwo", 6 },
	[PART_RANGES]	= { ".debug_rnglists.dwo", 8 },	/* DWARF 5; in version 2 this column is .debug_macro */
	[PART_STRINGS]	= { ".debug_str.dwo", 0 },
};

struct contents {
	const struct elf_section *section;	/* NULL: not present */
	uint64_t size;
	char *unpacked;			/* NULL: read from the file */
};

struct elf_package {
	struct elf_file file;
	struct contents contents[NR_PARTS];
	char *index;
	bool is_v5;
	uint32_t nr_columns, nr_units, nr_slots;
	uint32_t columns[MAX_COLUMNS];
	/* Pointers into the index: */
	const char *signatures, *rows, *offsets, *sizes;
};

static uint32_t number_at(const char *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return number;
}

/* The index is a header and four tables. */
static int parse_index(struct elf_package *package, size_t size)
{
	const char *at = package->index;
	uint64_t wanted, cells;
	uint16_t version;

	if (size < 16)
		return -ENOEXEC;
	/* The version has two bytes and two of padding in DWARF 5, four bytes before. */
	memcpy(&version, at, sizeof(version));
	package->is_v5 = version == 5;
	package->nr_columns = number_at(at + 4);
	package->nr_units = number_at(at + 8);
	package->nr_slots = number_at(at + 12);
	if ((version != 5 && version != 2) || package->nr_columns > MAX_COLUMNS || !package->nr_slots ||
	    (package->nr_slots & (package->nr_slots - 1)))
		return -ENOEXEC;
	cells = (uint64_t)package->nr_columns * package->nr_units;
	wanted = 16 + (uint64_t)package->nr_slots * 12 + package->nr_columns * 4ULL + cells * 8;
	if (wanted > size)
		return -ENOEXEC;
	package->signatures = at + 16;
	package->rows = package->signatures + (size_t)package->nr_slots * 8;
	memcpy(package->columns, package->rows + (size_t)package->nr_slots * 4, package->nr_columns * sizeof(uint32_t));
	package->offsets = package->rows + (size_t)package->nr_slots * 4 + package->nr_columns * sizeof(uint32_t);
	package->sizes = package->offsets + cells * 4;
	return 0;
}

static int read_index(struct elf_package *package)
{
	const struct elf_section *section = elf_image_find(&package->file, ".debug_cu_index");
	uint64_t size;

	if (!section || !elf_unpacked_bytes(&package->file, section, MAX_INDEX_BYTES, &size) || size > MAX_INDEX_BYTES)
		return -ENOEXEC;
	package->index = malloc(size + 1);
	if (!package->index)
		return -ENOMEM;
	if (!elf_unpack(&package->file, section, package->index, size))
		return -ENOEXEC;
	return parse_index(package, size);
}

static int open_contents(struct elf_package *package, enum part part)
{
	struct contents *contents = &package->contents[part];
	const struct elf_section *section = elf_image_find(&package->file, parts[part].name);

	if (!section || section->type == SHT_NOBITS)
		return 0;
	contents->section = section;
	contents->size = section->size;
	if (!elf_is_packed(section))
		return 0;
	if (!elf_unpacked_bytes(&package->file, section, MAX_UNPACKED_BYTES, &contents->size) ||
	    contents->size > MAX_UNPACKED_BYTES)
		return -ENOEXEC;
	contents->unpacked = malloc(contents->size + 1);
	if (!contents->unpacked)
		return -ENOMEM;
	return elf_unpack(&package->file, section, contents->unpacked, contents->size) ? 0 : -ENOEXEC;
}

struct elf_package *elf_package_open(int fd)
{
	struct elf_package *package = calloc(1, sizeof(*package));
	int err;

	if (!package)
		return NULL;
	err = elf_file_open(&package->file, fd);
	if (!err)
		err = read_index(package);
	for (enum part part = 0; part < NR_PARTS && !err; part++)
		err = open_contents(package, part);
	if (!err)
		return package;
	elf_package_close(package);
	return NULL;
}

void elf_package_close(struct elf_package *package)
{
	if (!package)
		return;
	for (enum part part = 0; part < NR_PARTS; part++)
		free(package->contents[part].unpacked);
	free(package->index);
	if (package->file.elf)
		elf_file_close(&package->file);
	free(package);
}

/* The hash table of the index uses open addressing: the search for an absent unit ends at an empty slot. */
static bool find_row(const struct elf_package *package, uint64_t unit_id, uint32_t *row)
{
	uint32_t mask = package->nr_slots - 1, slot = (uint32_t)unit_id & mask;
	uint32_t step = ((uint32_t)(unit_id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < package->nr_slots; i++, slot = (slot + step) & mask) {
		uint64_t signature;

		*row = number_at(package->rows + (size_t)slot * 4);
		if (!*row || *row > package->nr_units)
			return false;
		memcpy(&signature, package->signatures + (size_t)slot * 8, sizeof(signature));
		if (signature == unit_id) {
			--*row;
			return true;
		}
	}
	return false;
}

/* The part of a unit in a section. */
struct slice {
	uint64_t offset, size;
};

/* Returns an empty slice if there is none or it exceeds the section. */
static struct slice find_slice(const struct elf_package *package, enum part part, uint32_t row)
{
	const struct contents *contents = &package->contents[part];
	struct slice slice = { 0 };

	if (!contents->section || (part == PART_RANGES && !package->is_v5))
		return slice;
	for (uint32_t i = 0; i < package->nr_columns; i++) {
		size_t cell = ((size_t)row * package->nr_columns + i) * 4;

		if (package->columns[i] != parts[part].column)
			continue;
		slice = (struct slice){ number_at(package->offsets + cell), number_at(package->sizes + cell) };
		break;
	}
	if (slice.offset > contents->size || slice.size > contents->size - slice.offset)
		return (struct slice){ 0 };
	return slice;
}

static bool read_slice(const struct elf_package *package, enum part part, const struct slice *slice, char *bytes)
{
	const struct contents *contents = &package->contents[part];

	if (!contents->unpacked)
		return elf_section_read(&package->file, contents->section, slice->offset, bytes, slice->size);
	memcpy(bytes, contents->unpacked + slice->offset, slice->size);
	return true;
}

static bool read_string(const struct elf_package *package, uint32_t offset, char *string, size_t size)
{
	const struct contents *strings = &package->contents[PART_STRINGS];
	struct elf_strings table;
	size_t length;

	if (!strings->section || offset >= strings->size)
		return false;
	if (!strings->unpacked) {
		table = (struct elf_strings){ package->file.fd, strings->section->offset, strings->size, NULL };
		return elf_strings_read(&table, offset, string, size);
	}
	length = strnlen(strings->unpacked + offset, strings->size - offset);
	if (length >= size)
		return false;
	memcpy(string, strings->unpacked + offset, length);
	string[length] = '\0';
	return true;
}

/* The strings of one unit. */
struct strings {
	char *offsets;			/* copied from the package and adjusted to bytes */
	char *bytes;
	size_t size, capacity;
};

static int add_string(struct strings *strings, const char *string, uint32_t *offset)
{
	size_t size = strlen(string) + 1;
	char *grown;

	if (size > MAX_UNIT_BYTES - strings->size)
		return -E2BIG;
	grown = array_reserve(strings->bytes, strings->size + size, &strings->capacity, 1);
	if (!grown)
		return -ENOMEM;
	strings->bytes = grown;
	memcpy(strings->bytes + strings->size, string, size);
	*offset = (uint32_t)strings->size;
	strings->size += size;
	return 0;
}

/* Strings that are too long or cannot be read become empty. */
static int read_strings(const struct elf_package *package, const struct slice *slice, struct strings *strings)
{
	/* The header: length of the table, version, and two bytes of padding. */
	size_t at = package->is_v5 ? 8 : 0;
	char string[ELF_NAME_MAX];
	uint32_t offset;
	int err;

	strings->offsets = malloc(slice->size + 1);
	if (!strings->offsets)
		return -ENOMEM;
	if (!slice->size)
		return 0;
	if (!read_slice(package, PART_OFFSETS, slice, strings->offsets))
		return -ENOEXEC;
	/* 64-bit DWARF has a different table format. */
	if (at && (slice->size < at || number_at(strings->offsets) == UINT32_MAX))
		return -ENOEXEC;
	err = add_string(strings, "", &offset);
	for (; !err && at + sizeof(offset) <= slice->size; at += sizeof(offset)) {
		offset = 0;
		if (read_string(package, number_at(strings->offsets + at), string, sizeof(string)) && string[0])
			err = add_string(strings, string, &offset);
		memcpy(strings->offsets + at, &offset, sizeof(offset));
	}
	return err;
}

static int fill(const struct elf_package *package, const struct slice *slices, const struct strings *strings,
		struct elf_image *image)
{
	struct elf_image_part made[NR_PARTS];
	enum part which[NR_PARTS];
	size_t nr = 0;
	int err;

	for (enum part part = 0; part < NR_PARTS; part++) {
		if (!slices[part].size)
			continue;
		which[nr] = part;
		made[nr++] = (struct elf_image_part){ .name = parts[part].name, .size = slices[part].size };
	}
	err = elf_image_new(image, &package->file, made, nr, MAX_UNIT_BYTES);
	for (size_t i = 0; i < nr && !err; i++) {
		if (which[i] == PART_STRINGS)
			memcpy(made[i].bytes, strings->bytes, strings->size);
		else if (which[i] == PART_OFFSETS)
			memcpy(made[i].bytes, strings->offsets, slices[PART_OFFSETS].size);
		else if (!read_slice(package, which[i], &slices[which[i]], made[i].bytes))
			err = -ENOEXEC;
	}
	if (err)
		elf_image_free(image);
	return err;
}

int elf_package_read(struct elf_package *package, uint64_t unit_id, struct elf_image *image)
{
	struct slice slices[NR_PARTS];
	struct strings strings = { 0 };
	uint32_t row;
	int err;

	*image = (struct elf_image){ 0 };
	if (!find_row(package, unit_id, &row))
		return -ENOENT;
	for (enum part part = 0; part < PART_STRINGS; part++)
		slices[part] = find_slice(package, part, row);
	if (!slices[PART_INFO].size || !slices[PART_ABBREV].size)
		return -ENOEXEC;
	for (enum part part = 0; part < PART_STRINGS; part++) {
		if (slices[part].size > MAX_UNIT_BYTES)
			return -E2BIG;
	}
	err = read_strings(package, &slices[PART_OFFSETS], &strings);
	slices[PART_STRINGS] = (struct slice){ .size = strings.size };
	if (!err)
		err = fill(package, slices, &strings, image);
	free(strings.offsets);
	free(strings.bytes);
	return err;
}
