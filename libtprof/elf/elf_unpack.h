/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Contents of sections that may be packed: by a flag, or as they were before there was one, by a name in ".zdebug". */
#ifndef TPROF_ELF_UNPACK_H
#define TPROF_ELF_UNPACK_H

#include "elf_file.h"

bool elf_is_packed(const struct elf_section *section);

/*
 * How large the contents are when they are unpacked, as the file says, which may be anything. False if it does not, or
 * says something up to @max_bytes that cannot be. A packed section is read for that, @max_bytes of it at most.
 */
bool elf_unpacked_bytes(const struct elf_file *file, const struct elf_section *section, size_t max_bytes,
			uint64_t *bytes);

/* Is it packed by Zstandard, which not every libelf unpacks? */
bool elf_is_zstd(const struct elf_file *file, const struct elf_section *section);

/* Copies all of that. False if it cannot be read or unpacked, or is not as large. */
bool elf_unpack(const struct elf_file *file, const struct elf_section *section, void *buffer, size_t size);

#endif
