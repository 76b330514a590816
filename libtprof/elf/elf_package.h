/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A package of .dwo files (.dwp), as dwp and llvm-dwp make them of DWARF 5 and of the form that GNU tools had before:
 * an index says which part of each section was in which of them.
 */
#ifndef TPROF_ELF_PACKAGE_H
#define TPROF_ELF_PACKAGE_H

#include "elf_image.h"

struct elf_package;

/* @fd stays the caller's, and has to stay open. NULL if that is no package, or it is damaged. */
struct elf_package *elf_package_open(int fd);
void elf_package_close(struct elf_package *package);

/*
 * Makes an image of the file that had the unit, as far as functions and lines need it. Errors: ENOENT (no such unit),
 * ENOEXEC (damaged), E2BIG, ENOMEM.
 */
int elf_package_read(struct elf_package *package, uint64_t unit_id, struct elf_image *image);

#endif
