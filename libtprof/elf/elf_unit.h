/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The functions of one unit of DWARF (a source file that was compiled), and what was inlined into them.
 *
 * What it reads may be damaged: all walks go forward, and take their steps from a budget.
 */
#ifndef TPROF_ELF_UNIT_H
#define TPROF_ELF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls within each other that are told; real ones are some dozens. */
#define ELF_PLACES_MAX 64

/* Where an address is in the source. Strings belong to the file that it was read from. */
struct elf_place {
	const char *function;		/* as the linker knows it, else as it is called in the source; */
					/* NULL: it has the code itself, and its symbol names it */
	const char *file;		/* NULL: not known */
	uint32_t line;			/* 0: not known */
	uint32_t start_line;		/* where the function begins; 0: not known */
};

struct elf_unit {
	Dwarf_Die die;			/* of the unit with the table of lines */
	Dwarf_Die code;			/* of the one with the functions: another if DWARF was split */
	bool has_code;
	enum { ELF_UNIT_UNREAD, ELF_UNIT_SHALLOW, ELF_UNIT_DEEP } read;
	struct elf_unit_function *functions;	/* sorted by address */
	size_t nr, room;
};

/*
 * Where the address is, the innermost call first: at most ELF_PLACES_MAX places. 0 if the unit says nothing of it. Each
 * entry that is looked at takes one from the @budget; when that is used up, nothing is told any more.
 */
size_t elf_unit_find(struct elf_unit *unit, uint64_t vaddr, uint64_t *budget, struct elf_place *places);
void elf_unit_fini(struct elf_unit *unit);

#endif
