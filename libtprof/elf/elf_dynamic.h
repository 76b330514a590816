/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Reconstructs sections of a program without section headers (truncated or stripped) from its program headers, as the
 * dynamic loader and unwinders do: dynamic symbols with their names, relocations, and call frame information.
 */
#ifndef TPROF_ELF_DYNAMIC_H
#define TPROF_ELF_DYNAMIC_H

#include "elf_file.h"

/* Adds the sections to a file that has none. Returns 0, even if nothing was found, or -ENOMEM. */
int elf_dynamic_sections(struct elf_file *file);

#endif
