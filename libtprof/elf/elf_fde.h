/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Function ranges from the call frame information of a program (.eh_frame). Each entry (FDE) describes one range of
 * code. Usually this is one function or its cold part; for assembly it can be several functions, and the whole PLT has
 * one entry.
 */
#ifndef TPROF_ELF_FDE_H
#define TPROF_ELF_FDE_H

#include "elf_file.h"
#include "elf_window.h"

/* Receives [start, start + size) in virtual addresses. A nonzero result ends the iteration. */
typedef int (*elf_fde_fn)(void *ctx, uint64_t start, uint64_t size);

/*
 * Iterates in the order of the file. Returns 0 (also if there is no .eh_frame or it is malformed), -ENOMEM, or the
 * nonzero result of @fn.
 */
int elf_fde_each(const struct elf_file *file, elf_fde_fn fn, void *ctx);

/* The address of .eh_frame according to .eh_frame_hdr. */
bool elf_fde_table(const struct elf_file *file, struct elf_window *window, uint64_t *vaddr);
/* Trims the section to the end of its last entry. */
void elf_fde_trim(struct elf_window *window, struct elf_section *section);

#endif
