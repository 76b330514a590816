/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Source lines for a file offset, from the DWARF of an ELF file or of its debug file. All DWARF is read into memory, as
 * files may be overwritten or truncated at any time. The input is not trusted.
 */
#ifndef TPROF_ELF_LINES_H
#define TPROF_ELF_LINES_H

#include "debug_search.h"
#include "elf_unit.h"

struct elf_lines;

/*
 * Reads the list of units. @fd remains owned by the caller. Errors (NULL and errno): ENOENT (no DWARF found), ENOEXEC
 * (malformed), ENOLINK (the supplementary dwz file cannot be found), E2BIG (more than half of the memory), ENOMEM.
 */
struct elf_lines *elf_lines_open(int fd, const struct debug_search *search);
void elf_lines_close(struct elf_lines *lines);

/*
 * Finds the source places of a file offset. The innermost inlined call comes first; the last place belongs to the
 * function that contains the code. @places has a capacity of ELF_PLACES_MAX. Returns the number of places, 0 if nothing
 * is known. Strings are valid as long as @lines.
 */
size_t elf_lines_find(struct elf_lines *lines, uint64_t offset, struct elf_place *places);

/*
 * The name of the first split DWARF file (.dwo) that was needed and could not be read, neither by itself nor from a
 * package (.dwp); NULL if there is none so far.
 */
const char *elf_lines_lost(const struct elf_lines *lines);

#endif
