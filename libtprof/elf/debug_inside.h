/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The symbols that some distributions leave in stripped programs: an ELF file in a section, packed as xz does. */
#ifndef TPROF_DEBUG_INSIDE_H
#define TPROF_DEBUG_INSIDE_H

#include "elf_file.h"

/* Unpacks it. Returns a descriptor of it for the caller, -ENOENT if there is none, or another -errno. */
int debug_inside_open(const struct elf_file *file);

#endif
