/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Where functions begin and end, as the call frame information of a program says it (.eh_frame): each of its entries
 * describes a range of code. That is one function, or its cold part; in assembly it may be several in one, and the
 * whole linkage table is one.
 */
#ifndef TPROF_ELF_FDE_H
#define TPROF_ELF_FDE_H

#include "elf_file.h"
#include "elf_window.h"

/* [start, start + size), by virtual address. Not 0 ends the walk with that. */
typedef int (*elf_fde_fn)(void *ctx, uint64_t start, uint64_t size);

/* In the order of the file. 0, also if there is none or it is damaged; -ENOMEM; or what @fn returned. */
int elf_fde_each(const struct elf_file *file, elf_fde_fn fn, void *ctx);

/* The address of the entries, as the program header for the unwinder tells it. */
bool elf_fde_table(const struct elf_file *file, struct elf_window *window, uint64_t *vaddr);
/* Ends the section where the entries do. */
void elf_fde_trim(struct elf_window *window, struct elf_section *section);

#endif
