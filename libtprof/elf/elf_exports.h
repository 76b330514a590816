/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What an object gives others to call, by the names and versions that a program linked with it today gets. */
#ifndef TPROF_ELF_EXPORTS_H
#define TPROF_ELF_EXPORTS_H

#include "elf_file.h"

struct elf_export {
	uint64_t start;
	uint32_t name;			/* in the strings */
};

struct elf_exports {
	struct elf_export *exports;	/* sorted by start */
	size_t nr, room;
	int fd;				/* of the file that it was read from */
	uint64_t strings_offset, strings_size;
};

/* Of a file that stays open. A file that exports nothing has none. 0 or -ENOMEM. */
int elf_exports_read(struct elf_exports *exports, const struct elf_file *file);
void elf_exports_free(struct elf_exports *exports);

/* Is anything exported there, and by that name? */
bool elf_exports_has(const struct elf_exports *exports, uint64_t start);
bool elf_exports_has_name(const struct elf_exports *exports, uint64_t start, const char *name);

#endif
