// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The dynamic symbols of an object, without the non-default symbol versions, which only old programs use. */
#include "elf_exports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "elf_symbols.h"

/* Flag in the version table: not the default version. */
#define VERSION_HIDDEN 0x8000
/* More names with the same hash are made on purpose, to take time. */
#define MAX_EQUAL_HASHES 16

static int compare_exports(const void *left, const void *right)
{
	const struct elf_export *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->hash > b->hash) - (a->hash < b->hash);
}

static uint32_t hash_of(const char *name)
{
	uint64_t hash = hash_text(name);

	return (uint32_t)(hash ^ hash >> 32);
}

/*
 * Sorts the symbols, and those with the same start by the hashes of their names: an object may have a hundred thousand
 * names for one function, each of which is looked up.
 */
static void sort(struct elf_exports *exports)
{
	struct elf_export *all = exports->exports;
	char name[ELF_NAME_MAX];
	bool has_aliases = false;

	if (!exports->nr)
		return;
	qsort(all, exports->nr, sizeof(*all), compare_exports);
	for (size_t i = 0; i < exports->nr; i++) {
		bool is_alias = (i && all[i - 1].start == all[i].start) ||
				(i + 1 < exports->nr && all[i + 1].start == all[i].start);

		if (is_alias && elf_strings_read(&exports->strings, all[i].name, name, sizeof(name)))
			all[i].hash = hash_of(name);
		has_aliases |= is_alias;
	}
	if (has_aliases)
		qsort(all, exports->nr, sizeof(*all), compare_exports);
}

static bool is_hidden(struct elf_entries *versions, size_t index)
{
	uint16_t version;

	return elf_entries_version(versions, index, &version) && (version & VERSION_HIDDEN);
}

int elf_exports_read(struct elf_exports *exports, const struct elf_file *file)
{
	const struct elf_section *symtab = elf_file_find_type(file, SHT_DYNSYM);
	const struct elf_section *versym = elf_file_find_type(file, SHT_GNU_versym);
	const struct elf_section *strings = symtab ? elf_file_strings(file, symtab) : NULL;
	struct elf_entries entries, versions = { .nr = 0 };
	GElf_Sym symbol;

	*exports = (struct elf_exports){ .strings.fd = file->fd };
	if (!strings)
		return 0;
	exports->strings.offset = strings->offset;
	exports->strings.size = strings->size;
	elf_strings_buffer(&exports->strings);
	elf_symbols_begin(&entries, file, symtab);
	if (versym)
		elf_versions_begin(&versions, file, versym);
	for (size_t i = 1; i < entries.nr && elf_entries_symbol(&entries, i, &symbol); i++) {
		struct elf_export *grown;

		if (symbol.st_shndx == SHN_UNDEF || !symbol.st_value || is_hidden(&versions, i))
			continue;
		grown = array_grow(exports->exports, exports->nr, &exports->capacity, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		exports->exports = grown;
		grown[exports->nr++] = (struct elf_export){ .start = symbol.st_value, .name = symbol.st_name };
	}
	sort(exports);
	return 0;
}

void elf_exports_free(struct elf_exports *exports)
{
	elf_strings_unbuffer(&exports->strings);
	free(exports->exports);
	*exports = (struct elf_exports){ .strings.fd = -1 };
}

/* The first symbol that does not sort before this one. */
static size_t find(const struct elf_exports *exports, uint64_t start, uint32_t hash)
{
	const struct elf_export wanted = { .start = start, .hash = hash };
	size_t low = 0, high = exports->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_exports(&exports->exports[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct elf_exports *exports, size_t at, uint64_t start)
{
	return at < exports->nr && exports->exports[at].start == start;
}

bool elf_exports_has(const struct elf_exports *exports, uint64_t start)
{
	return is_at(exports, find(exports, start, 0), start);
}

bool elf_exports_has_name(const struct elf_exports *exports, uint64_t start, const char *name)
{
	size_t first = find(exports, start, 0), at = first;
	char exported[ELF_NAME_MAX];
	uint32_t hash = 0;

	if (is_at(exports, first + 1, start)) {
		hash = hash_of(name);
		at = find(exports, start, hash);
	}
	for (size_t end = at + MAX_EQUAL_HASHES; at < end && is_at(exports, at, start); at++) {
		if (exports->exports[at].hash != hash)
			return false;
		if (elf_strings_read(&exports->strings, exports->exports[at].name, exported, sizeof(exported)) &&
		    !strcmp(exported, name))
			return true;
	}
	return false;
}
