/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A package of .dwo files (.dwp), as made by dwp and llvm-dwp, for DWARF 5 and for the GNU extension of DWARF 4. An
 * index locates the part of each unit in each section.
 */
#ifndef TPROF_ELF_PACKAGE_H
#define TPROF_ELF_PACKAGE_H

#include "elf_image.h"

struct elf_package;

/* @fd remains owned by the caller and must stay open. Returns NULL if the file is not a package or is malformed. */
struct elf_package *elf_package_open(int fd);
void elf_package_close(struct elf_package *package);

/*
 * Builds an image of the .dwo file that contained the unit, with the sections needed for functions and lines. Errors:
 * ENOENT (no such unit), ENOEXEC (malformed), E2BIG, ENOMEM.
 */
int elf_package_read(struct elf_package *package, uint64_t unit_id, struct elf_image *image);

#endif
