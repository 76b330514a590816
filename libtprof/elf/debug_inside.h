/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * MiniDebugInfo: symbols that some distributions keep in stripped programs, as an xz-compressed ELF file in the section
 * .gnu_debugdata.
 */
#ifndef TPROF_DEBUG_INSIDE_H
#define TPROF_DEBUG_INSIDE_H

#include "elf_file.h"

/*
 * Decompresses it into a memory file. Returns a file descriptor owned by the caller, -ENOENT if there is no such
 * section, or another -errno.
 */
int debug_inside_open(const struct elf_file *file);

#endif
