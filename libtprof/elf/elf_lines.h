/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * From a byte of an ELF file to lines of source: by the DWARF in the file, or in its debug file. All of that is read
 * into memory, so files may be overwritten or truncated at any moment; and it may be hostile.
 */
#ifndef TPROF_ELF_LINES_H
#define TPROF_ELF_LINES_H

#include "debug_search.h"
#include "elf_unit.h"

struct elf_lines;

/*
 * Reads which units there are. @fd stays the caller's. Errors (NULL and errno): ENOENT (no DWARF to be found), ENOEXEC
 * (damaged), ENOLINK (a file that it shares with others cannot be found), E2BIG (more than half of the memory), ENOMEM.
 */
struct elf_lines *elf_lines_open(int fd, const struct debug_search *search);
void elf_lines_close(struct elf_lines *lines);

/*
 * Where a byte of the file comes from, the innermost inlined call first; the last place is that of the function which
 * has the code. @places has room for ELF_PLACES_MAX. Returns how many, 0 if nothing is known. Strings live as long
 * as @lines.
 */
size_t elf_lines_find(struct elf_lines *lines, uint64_t offset, struct elf_place *places);

/*
 * The name of a file that a part of the DWARF was split off to (.dwo) and that could not be read when it was asked for,
 * neither itself nor from a package (.dwp); NULL if there was none so far.
 */
const char *elf_lines_lost(const struct elf_lines *lines);

#endif
