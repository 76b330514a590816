/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Entries of the procedure linkage table (PLT): the stubs through which a file calls functions of other files. */
#ifndef TPROF_ELF_PLT_H
#define TPROF_ELF_PLT_H

#include "elf_file.h"

/*
 * Called for each entry. @symbol: index in .dynsym of the target function; STN_UNDEF: the start of the table, which
 * calls the loader for entries that are used for the first time.
 */
typedef void (*elf_plt_fn)(void *ctx, uint64_t vaddr, uint32_t size, uint32_t symbol);

/*
 * Decodes the code of the entries (x86-64, arm64) instead of counting them: each jumps through a slot of the global
 * offset table, and the relocation of the slot names the target. Entries that cannot be decoded are skipped.
 */
void elf_plt_each(const struct elf_file *file, elf_plt_fn fn, void *ctx);

#endif
