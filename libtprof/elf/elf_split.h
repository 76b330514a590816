/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Split DWARF units (-gsplit-dwarf): in a package beside the program (.dwp), or in the .dwo files that the compiler
 * wrote. The program names the paths of these files, so an untrusted program could make tprof read any file. Programs
 * and split files are therefore trusted only if root or the effective user owns them.
 */
#ifndef TPROF_ELF_SPLIT_H
#define TPROF_ELF_SPLIT_H

#include "elf_dwarf.h"

struct elf_split;

/*
 * @fd is the file with the DWARF @from; @program is the mapped file: either the same file, or the one that @fd is the
 * debug file of. Both remain owned by the caller; @from must outlive the result. Returns NULL if memory is exhausted.
 */
struct elf_split *elf_split_new(const struct elf_dwarf *from, int fd, int program);
void elf_split_free(struct elf_split *split);

/*
 * Finds the split unit for @unit, or @unit itself if it was not split. @bytes: the size of the data that was read for
 * it. Returns false if the split unit cannot be read.
 */
bool elf_split_find(struct elf_split *split, Dwarf_Die *unit, Dwarf_Die *code, uint64_t *bytes);

/* The name of the first file that could not be read; NULL if there is none so far. */
const char *elf_split_lost(const struct elf_split *split);

#endif
