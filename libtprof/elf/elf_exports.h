/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The exported symbols of an object: the names and default versions that newly linked programs use. */
#ifndef TPROF_ELF_EXPORTS_H
#define TPROF_ELF_EXPORTS_H

#include "elf_file.h"
#include "elf_strings.h"

struct elf_export {
	uint64_t start;
	uint32_t name;			/* offset in the string table */
	uint32_t hash;			/* of the name, if several symbols have this start; else 0 */
};

struct elf_exports {
	struct elf_export *exports;	/* sorted by start, then by hash */
	size_t nr, capacity;
	struct elf_strings strings;	/* buffered */
};

/* @file must stay open. A file without exports gives an empty table. Returns 0 or -ENOMEM. */
int elf_exports_read(struct elf_exports *exports, const struct elf_file *file);
void elf_exports_free(struct elf_exports *exports);

/* Is a symbol exported at this address, and with this name? */
bool elf_exports_has(const struct elf_exports *exports, uint64_t start);
bool elf_exports_has_name(const struct elf_exports *exports, uint64_t start, const char *name);

#endif
