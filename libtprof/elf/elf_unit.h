/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The functions of one DWARF unit (a compiled source file), and the calls inlined into them.
 *
 * The input may be malformed: all traversals move forward only, and each step is taken from a budget.
 */
#ifndef TPROF_ELF_UNIT_H
#define TPROF_ELF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit for nested inlined calls. Real programs have some dozens. */
#define ELF_PLACES_MAX 64

/* A source place. Strings are owned by the file that it was read from. */
struct elf_place {
	const char *function;		/* linkage name, else the source name; */
					/* NULL: the function that contains the code, named by its symbol */
	const char *file;		/* NULL: unknown */
	uint32_t line;			/* 0: unknown */
	uint32_t start_line;		/* first line of the function; 0: unknown */
};

struct elf_unit {
	Dwarf_Die die;			/* the unit with the line table */
	Dwarf_Die code;			/* the unit with the functions: a different one for split DWARF */
	bool has_code;
	enum { ELF_UNIT_UNREAD, ELF_UNIT_SHALLOW, ELF_UNIT_DEEP } read;
	struct elf_unit_function *functions;	/* sorted by address */
	size_t nr, capacity;
};

/*
 * Source places of the address, the innermost call first: at most ELF_PLACES_MAX. Returns 0 if the unit has no
 * information. Each entry that is visited takes one from @budget; at 0, all lookups return 0.
 */
size_t elf_unit_find(struct elf_unit *unit, uint64_t vaddr, uint64_t *budget, struct elf_place *places);
void elf_unit_fini(struct elf_unit *unit);

#endif
