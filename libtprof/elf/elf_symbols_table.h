/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Internals of the table in elf_symbols.h, for the code that fills it: symbols are added in any order, and sorted at
 * the end.
 */
#ifndef TPROF_ELF_SYMBOLS_TABLE_H
#define TPROF_ELF_SYMBOLS_TABLE_H

#include <sys/types.h>
#include <time.h>

#include "elf_exports.h"
#include "elf_file.h"
#include "elf_symbols.h"

/* Addresses are relative to the lowest executable one. Code more than 4 GiB above it gets no symbols. */
struct elf_symbol {
	uint32_t start, size;
	uint32_t name;			/* offset in the string table of the file, or in kept_names */
	uint8_t rank;			/* higher is better, among symbols with the same start */
	bool open_end;			/* no size: extends to the next symbol or the end of the section */
	bool kept;			/* name is an offset in kept_names */
	bool nameless;			/* only its range is known */
};

struct elf_symbols {
	struct elf_symbol *symbols;	/* sorted, with unique starts */
	size_t nr, capacity;
	bool keep_all;			/* keep the aliases in all, too */
	struct elf_symbol *all;		/* sorted; includes the aliases and the chosen symbols */
	size_t nr_all;
	bool has_locals;		/* there are local functions (STB_LOCAL) among them */
	uint64_t base;
	struct elf_segment *segments;	/* segments of the mapped file, not of its debug file */
	size_t nr_segments;
	char *kept_names;
	size_t kept_names_size, kept_names_capacity;

	/* The file that holds the names, and its size and mtime when the symbols were read. */
	int fd;
	struct elf_strings strings;	/* buffered until the table is finished */
	off_t size;
	struct timespec mtime;
};

/* Returns 0 or -ENOMEM. */
int elf_symbols_add(struct elf_symbols *symbols, const struct elf_symbol *symbol);
/*
 * Adds a symbol whose name is not in the string table of the file: copies @name and @suffix. Returns 0 (also if the
 * name is empty and nothing is added), or -ENOMEM.
 */
int elf_symbols_add_kept(struct elf_symbols *symbols, struct elf_symbol symbol, const char *name, const char *suffix);
/*
 * Reads a name from the string table of the file. Returns false if it cannot be read or does not fit; @buffer may then
 * hold its beginning, without NUL.
 */
bool elf_symbols_read_name(const struct elf_symbols *symbols, uint32_t name, char *buffer, size_t size);
/* Frees unused capacity. */
void elf_symbols_shrink(struct elf_symbols *symbols);
/* Bytes from the address to the end of its executable segment; 0: not in one. */
uint64_t elf_symbols_bytes_left(const struct elf_symbols *symbols, uint64_t vaddr);
/*
 * Sorts the table and keeps one symbol per start, preferably an exported name. A symbol without size ends where the
 * next one begins, and is dropped if another one contains it. Returns 0; -ENOMEM only with keep_all.
 */
int elf_symbols_finish(struct elf_symbols *symbols, const struct elf_exports *exports);
/*
 * Adds nameless symbols for ranges in the unwind table of @file that no symbol covers, unless the file has its full
 * symbol table. Call it after elf_symbols_finish(). Returns 0 or -ENOMEM.
 */
int elf_symbols_fill(struct elf_symbols *symbols, const struct elf_file *file);

#endif
