/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The call frame information of a file: .eh_frame, and .debug_frame of the file or of its debug file. The sections are
 * copied into memory when it is opened, so nothing that happens to the file afterwards matters.
 */
#ifndef TPROF_ELF_CFI_H
#define TPROF_ELF_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi_row.h"
#include "debug_search.h"

struct elf_cfi;

/*
 * @fd stays the caller's; @search is for the debug file. NULL and errno: ENOENT (there is none),
 * ENOEXEC (no program of this machine), E2BIG (more than @max_bytes), ENOMEM.
 */
struct elf_cfi *elf_cfi_open(int fd, const struct debug_search *search, size_t max_bytes);
void elf_cfi_close(struct elf_cfi *cfi);

/* Is it of a program with 32 bits? */
bool elf_cfi_is_32bit(const struct elf_cfi *cfi);

/* What it takes of memory, and will take when much has been looked up. */
size_t elf_cfi_bytes(const struct elf_cfi *cfi);

/* The row for the byte of code at that file offset; NULL if there is none. Valid until the next call. */
const struct cfi_row *elf_cfi_find(struct elf_cfi *cfi, uint64_t offset);

#endif
