/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Functions of a Go program from its pclntab, the table that the Go runtime uses for tracebacks. Stripped programs have
 * it too. Supports the formats of Go 1.2, 1.16, 1.18 and 1.20 and later.
 */
#ifndef TPROF_ELF_GO_H
#define TPROF_ELF_GO_H

#include "elf_file.h"

/*
 * Receives a function at [start, start + size) in virtual addresses, and the offset of its name. A nonzero result ends
 * the iteration.
 */
typedef int (*elf_go_fn)(void *ctx, uint64_t start, uint64_t size, uint32_t name);

/* The pclntab of one file. */
struct elf_go {
	const struct elf_file *file;
	unsigned int version;		/* Go release that introduced the format: 2, 16, 18 or 20 */
	uint64_t vaddr, offset, size;	/* location of the table */
	uint64_t text;			/* base of the addresses, since 1.18 */
	uint64_t nr;			/* number of functions */
	uint64_t functions;		/* offset of the function index in the table */
	uint64_t names_offset, names_size;	/* in the file; names are NUL-terminated */
};

/* Returns false if the file is not a Go program or has an unknown format. */
bool elf_go_find(const struct elf_file *file, struct elf_go *go);
/*
 * Iterates in order of address; each entry is verified with its own record. Returns 0 (also if the table is malformed),
 * -ENOMEM, or the nonzero result of @fn.
 */
int elf_go_each(const struct elf_go *go, elf_go_fn fn, void *ctx);

#endif
