/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The sections of a program without section headers (cut off, or removed with them): what the loader and the unwinder
 * find by the program headers alone. Dynamic symbols with their names, relocations, and call frame information.
 */
#ifndef TPROF_ELF_DYNAMIC_H
#define TPROF_ELF_DYNAMIC_H

#include "elf_file.h"

/* Makes the sections of a file that has none. 0, also where nothing was found, or -ENOMEM. */
int elf_dynamic_sections(struct elf_file *file);

#endif
