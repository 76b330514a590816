// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The dynamic symbols of an object, without the non-default symbol versions, which only old programs use. */
#include "elf_exports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf_symbols.h"

/* Flag in the version table: not the default version. */
#define VERSION_HIDDEN 0x8000

static int compare_exports(const void *left, const void *right)
{
	const struct elf_export *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
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
		grown[exports->nr++] = (struct elf_export){ symbol.st_value, symbol.st_name };
	}
	if (exports->nr)
		qsort(exports->exports, exports->nr, sizeof(*exports->exports), compare_exports);
	return 0;
}

void elf_exports_free(struct elf_exports *exports)
{
	elf_strings_unbuffer(&exports->strings);
	free(exports->exports);
	*exports = (struct elf_exports){ .strings.fd = -1 };
}

static size_t find(const struct elf_exports *exports, uint64_t start)
{
	size_t low = 0, high = exports->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (exports->exports[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool elf_exports_has(const struct elf_exports *exports, uint64_t start)
{
	size_t at = find(exports, start);

	return at < exports->nr && exports->exports[at].start == start;
}

bool elf_exports_has_name(const struct elf_exports *exports, uint64_t start, const char *name)
{
	char exported[ELF_NAME_MAX];

	for (size_t at = find(exports, start); at < exports->nr && exports->exports[at].start == start; at++) {
		if (elf_strings_read(&exports->strings, exports->exports[at].name, exported, sizeof(exported)) &&
		    !strcmp(exported, name))
			return true;
	}
	return false;
}
