/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Function symbols of one ELF file: a sorted table of 16 bytes a function, made from .symtab, a separate debug file's
 * .symtab, or .dynsym and the table of Go's runtime; the entries of the procedure linkage table; and the unwind table,
 * which has no names. Names are not kept in memory but read from the file, which stays open, when they are asked for.
 *
 * The file is read with pread() only: it may be truncated or overwritten at any moment, and may be hostile.
 */
#ifndef TPROF_ELF_SYMBOLS_H
#define TPROF_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug_search.h"

/* Longer names are no names; some of C++ come near. */
#define ELF_NAME_MAX 4096
/* A file with more functions has none: 64 MiB. Large browsers have less than a million. */
#define ELF_SYMBOLS_MAX (4U << 20)
/* What the names that are kept in memory may take: beyond, symbols have none. */
#define ELF_KEPT_NAMES_MAX (64U << 20)

struct elf_symbols;

/*
 * Reads the functions of the file. @fd stays the caller's. @search says where debug files are. A file without symbols
 * gives an empty table. Errors (NULL and errno): ENOEXEC (not an ELF file of this machine's byte order), ENOMEM (there
 * is no memory, or there are more than ELF_SYMBOLS_MAX), EMFILE.
 */
struct elf_symbols *elf_symbols_open(int fd, const struct debug_search *search);
/* The same with all names of each function, for elf_symbols_next_alias(). */
struct elf_symbols *elf_symbols_open_all(int fd, const struct debug_search *search);
void elf_symbols_close(struct elf_symbols *symbols);

size_t elf_symbols_nr(const struct elf_symbols *symbols);
/* What it takes of memory. */
size_t elf_symbols_bytes(const struct elf_symbols *symbols);

/*
 * The function that covers a byte of the file: its place in the table, or -1. @offset is a file offset in the
 * file given to elf_symbols_open().
 */
long elf_symbols_find(const struct elf_symbols *symbols, uint64_t offset, uint64_t *delta);

/*
 * Writes the name as in the file, but for its version ("@@GLIBC_2.14"). False if it can no longer be read, or has none:
 * where no symbol is, the unwind table may tell where a function begins and ends.
 */
bool elf_symbols_name(const struct elf_symbols *symbols, size_t index, char *name, size_t size);

/* Where the function begins, as an address of the file, and its size. False behind the last. */
bool elf_symbols_at(const struct elf_symbols *symbols, size_t index, uint64_t *address, uint64_t *size);

/*
 * The names of a function one by one as in the file, with their versions; the one that elf_symbols_name() tells is one
 * of them. @at is 0 for the first function, and goes along from there: functions are asked for in their order. False if
 * there are no more.
 */
bool elf_symbols_next_alias(const struct elf_symbols *symbols, size_t index, size_t *at, char *name, size_t size);

#endif
