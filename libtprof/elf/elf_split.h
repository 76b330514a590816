/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Units that were split off from a program (-gsplit-dwarf): in a package beside it (.dwp), or in the files that the
 * compiler wrote (.dwo). The program says where these are, so one of a stranger could have any file read. Programs and
 * what was split off from them are believed if they belong to root or to the user that asks.
 */
#ifndef TPROF_ELF_SPLIT_H
#define TPROF_ELF_SPLIT_H

#include "elf_dwarf.h"

struct elf_split;

/*
 * @fd is the file with the DWARF @from, @program the one that was mapped: the same, or its debug file is the former.
 * All stay the caller's; @from has to outlive this. NULL if there is no memory.
 */
struct elf_split *elf_split_new(const struct elf_dwarf *from, int fd, int program);
void elf_split_free(struct elf_split *split);

/*
 * The unit that @unit stands for, itself if nothing was split off. @bytes: how large what was read for it is. False if
 * what was cannot be read.
 */
bool elf_split_find(struct elf_split *split, Dwarf_Die *unit, Dwarf_Die *code, uint64_t *bytes);

/* The name of the first file that could not be read; NULL if there was none so far. */
const char *elf_split_lost(const struct elf_split *split);

#endif
