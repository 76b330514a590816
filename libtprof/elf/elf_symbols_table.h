/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The table of elf_symbols.h from within, for who fills it: symbols are added in any order, and sorted at the end. */
#ifndef TPROF_ELF_SYMBOLS_TABLE_H
#define TPROF_ELF_SYMBOLS_TABLE_H

#include <sys/types.h>
#include <time.h>

#include "elf_exports.h"
#include "elf_file.h"
#include "elf_symbols.h"

/* Addresses are relative to the lowest executable one. Code that lies 4 GB above it has no names. */
struct elf_symbol {
	uint32_t start, size;
	uint32_t name;			/* in the string table of the file, or in kept_names */
	uint8_t rank;			/* higher is better, of those with the same start */
	bool open_end;			/* no size of its own: ends at the next symbol or the section's end */
	bool kept;			/* its name is in kept_names */
	bool nameless;			/* that it is a function is all that is known */
};

struct elf_symbols {
	struct elf_symbol *symbols;	/* sorted, starts differ */
	size_t nr, room;
	bool keep_all;			/* the ones that are not chosen as well */
	struct elf_symbol *all;		/* sorted; of those with the same start the chosen one is in symbols, too */
	size_t nr_all;
	bool has_locals;		/* functions that only their own source file can call are among them */
	uint64_t base;
	struct elf_segment *segments;	/* of the mapped file, not of its debug file */
	size_t nr_segments;
	char *kept_names;
	size_t kept_names_size, kept_names_room;

	/* Where the names are, and what that file looked like when the symbols were read. */
	int fd;
	uint64_t strings_offset, strings_size;
	off_t size;
	struct timespec mtime;
};

/* 0 or -ENOMEM. */
int elf_symbols_add(struct elf_symbols *symbols, const struct elf_symbol *symbol);
/* One whose name is not in the file of the names: @name and @suffix are copied. 0, also if it has none, or -ENOMEM. */
int elf_symbols_add_kept(struct elf_symbols *symbols, struct elf_symbol symbol, const char *name, const char *suffix);
/* A name in the file of the names, or as much of it as there is room for; false if it cannot be read. */
bool elf_symbols_read_name(const struct elf_symbols *symbols, uint32_t name, char *buffer, size_t size);
/* Gives back what it has room for and does not need. */
void elf_symbols_shrink(struct elf_symbols *symbols);
/* How far the executable segment goes from there; 0 if it is in none. */
uint64_t elf_symbols_room(const struct elf_symbols *symbols, uint64_t vaddr);
/*
 * One symbol for each start, by the name that is exported if there is one; those without size end where the next
 * begins, and are no part of others. 0; -ENOMEM only with keep_all.
 */
int elf_symbols_finish(struct elf_symbols *symbols, const struct elf_exports *exports);
/*
 * Adds the parts of functions that the unwind table of @file knows and no symbol covers, unless all of them have
 * symbols. After the above. 0 or -ENOMEM.
 */
int elf_symbols_fill(struct elf_symbols *symbols, const struct elf_file *file);

#endif
