/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The DWARF of one file, all of which is in memory: the file may be overwritten or truncated at any moment. */
#ifndef TPROF_ELF_DWARF_H
#define TPROF_ELF_DWARF_H

#include <elfutils/libdw.h>

#include "elf_image.h"

struct elf_dwarf {
	struct elf_file file;		/* opened by the user, closed with the rest */
	struct elf_image image;		/* unpacked here, if libelf may not be able to */
	Elf *elf;			/* of the image; NULL: that of the file is used */
	Dwarf *dwarf;			/* NULL: not read */
};

/* Does the file have any? */
bool elf_dwarf_is_in(const struct elf_file *file);

/*
 * Reads what is in the opened file, the descriptor of which is not used afterwards. Errors: E2BIG (it would take more
 * than half of the machine's memory), ENOEXEC (damaged), ENOMEM.
 */
int elf_dwarf_read(struct elf_dwarf *dwarf);
/* Also where nothing was opened, if all is zero. */
void elf_dwarf_close(struct elf_dwarf *dwarf);

/* One of its sections that libdw has; NULL: it is not there. */
const Elf_Data *elf_dwarf_section(const struct elf_dwarf *dwarf, const char *name);

#endif
