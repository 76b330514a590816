/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Entries of the procedure linkage table: the stubs through which a file calls functions of others. */
#ifndef TPROF_ELF_PLT_H
#define TPROF_ELF_PLT_H

#include "elf_file.h"

/* Called for each entry. @symbol: place in .dynsym of the function that it jumps to. */
typedef void (*elf_plt_fn)(void *ctx, uint64_t vaddr, uint32_t size, uint32_t symbol);

/*
 * Finds the entries by what their code does (x86-64, arm64), not by counting: the jump's slot in the global
 * offset table is looked up in the relocations. Entries that cannot be understood are left out.
 */
void elf_plt_each(const struct elf_file *file, elf_plt_fn fn, void *ctx);

#endif
