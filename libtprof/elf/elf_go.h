/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The functions of a Go program by the table that its runtime prints tracebacks from (pclntab), which is there in
 * stripped programs too. The forms of Go 1.2, 1.16, 1.18 and 1.20 and later are known.
 */
#ifndef TPROF_ELF_GO_H
#define TPROF_ELF_GO_H

#include "elf_file.h"

/* A function at [start, start + size), by virtual address, and where its name is in the names. Not 0 ends the walk. */
typedef int (*elf_go_fn)(void *ctx, uint64_t start, uint64_t size, uint32_t name);

/* The table of one file. */
struct elf_go {
	const struct elf_file *file;
	unsigned int version;		/* the release of Go that introduced the form: 2, 16, 18 or 20 */
	uint64_t vaddr, offset, size;	/* of the table */
	uint64_t text;			/* what addresses are relative to, since 1.18 */
	uint64_t nr;			/* functions */
	uint64_t functions;		/* the index of functions, from the start of the table */
	uint64_t names_offset, names_size;	/* in the file; names are strings that end with zero */
};

/* False: it is no Go program, or of a form that is not known. */
bool elf_go_find(const struct elf_file *file, struct elf_go *go);
/*
 * In order of address, each proven by its own record. 0, also if the table is damaged; -ENOMEM; or what @fn returned.
 */
int elf_go_each(const struct elf_go *go, elf_go_fn fn, void *ctx);

#endif
