/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The call frame information of a file: .eh_frame, and .debug_frame of the file or of its debug file. Opening copies
 * the sections into memory, so later changes of the file have no effect.
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
 * @fd remains owned by the caller; @search is for the debug file. Errors (NULL and errno): ENOENT (no call frame
 * information), ENOEXEC (not a program of this machine), E2BIG (more than @max_bytes), ENOMEM.
 */
struct elf_cfi *elf_cfi_open(int fd, const struct debug_search *search, size_t max_bytes);
void elf_cfi_close(struct elf_cfi *cfi);

/* Is it a 32-bit program? */
bool elf_cfi_is_32bit(const struct elf_cfi *cfi);

/* Memory use, including an estimate for later lookups. */
size_t elf_cfi_bytes(const struct elf_cfi *cfi);

/* The row for the code at this file offset; NULL: none. Valid until the next call. */
const struct cfi_row *elf_cfi_find(struct elf_cfi *cfi, uint64_t offset);

#endif
