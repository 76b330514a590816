/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Function symbols of one ELF file: a sorted table of 16 bytes per function. Sources: .symtab, the .symtab of a
 * separate debug file, or .dynsym and Go's pclntab; the PLT entries; and the unwind table, which has no names. Names
 * are not kept in memory: they are read from the file, which stays open, on demand.
 *
 * The file is accessed only with pread(): it may be truncated or overwritten at any time, and it is not trusted.
 */
#ifndef TPROF_ELF_SYMBOLS_H
#define TPROF_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_search.h"

/* Longer names are ignored. Some C++ names come close to this limit. */
#define ELF_NAME_MAX 4096
/* A file with more functions gets no symbols: 64 MiB. Large browsers have less than a million. */
#define ELF_SYMBOLS_MAX (4U << 20)
/* Limit for the names that are kept in memory; further symbols are dropped. */
#define ELF_KEPT_NAMES_MAX (64U << 20)

struct elf_symbols;

/*
 * Reads the functions of the file. @fd remains owned by the caller. @search: the places to search for debug files. A
 * file without symbols gives an empty table. Errors (NULL and errno): ENOEXEC (not an ELF file of this machine's byte
 * order), ENOMEM (memory is exhausted, or more than ELF_SYMBOLS_MAX), EMFILE.
 */
struct elf_symbols *elf_symbols_open(int fd, const struct debug_search *search);
/* The same, and keeps all names of each function for elf_symbols_next_alias(). */
struct elf_symbols *elf_symbols_open_all(int fd, const struct debug_search *search);
void elf_symbols_close(struct elf_symbols *symbols);

size_t elf_symbols_nr(const struct elf_symbols *symbols);
/* Memory use of the table. */
size_t elf_symbols_bytes(const struct elf_symbols *symbols);

/*
 * The function that contains the byte at @offset of the file that was given to elf_symbols_open(): its index in the
 * table, or -1.
 */
long elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, uint64_t *delta);

/*
 * Gets the name without its symbol version ("@@GLIBC_2.14"). Returns false if it can no longer be read, or if there is
 * none: functions that only the unwind table describes have no name.
 */
bool elf_symbols_name(const struct elf_symbols *symbols, size_t index, char *name, size_t size);

/*
 * Gets the start of the function, as a virtual address of the file, and its size. Returns false if @index is too large.
 */
bool elf_symbols_at(const struct elf_symbols *symbols, size_t index, uint64_t *address, uint64_t *size);

/*
 * The names of a function, one per call, as in the file with their versions; the one that elf_symbols_name() returns is
 * among them. @at is elf_symbols_first_alias() at the first call and is advanced. Returns false after the last name.
 */
size_t elf_symbols_first_alias(const struct elf_symbols *symbols, size_t index);
bool elf_symbols_next_alias(const struct elf_symbols *symbols, size_t index, size_t *at, char *name, size_t size);

#endif
