/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The DWARF of one file, completely in memory: the file may be overwritten or truncated at any time. */
#ifndef TPROF_ELF_DWARF_H
#define TPROF_ELF_DWARF_H

#include <elfutils/libdw.h>

#include "elf_image.h"

struct elf_dwarf {
	struct elf_file file;		/* opened by the user of this struct, closed by elf_dwarf_close() */
	struct elf_image image;		/* decompressed here, if libelf may not support it */
	Elf *elf;			/* handle for the image; NULL: the handle of the file is used */
	Dwarf *dwarf;			/* NULL: not read yet */
};

/* Does the file contain DWARF? */
bool elf_dwarf_is_in(const struct elf_file *file);

/*
 * Reads the DWARF of the opened file. The file descriptor is not used afterwards. Errors: E2BIG (it would use more than
 * half of the machine's memory), ENOEXEC (malformed), ENOMEM.
 */
int elf_dwarf_read(struct elf_dwarf *dwarf);
/* Also accepts a zeroed struct. */
void elf_dwarf_close(struct elf_dwarf *dwarf);

/* A section as libdw sees it; NULL: it does not exist. */
const Elf_Data *elf_dwarf_section(const struct elf_dwarf *dwarf, const char *name);

#endif
