/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Contents of sections that may be compressed: SHF_COMPRESSED, or the older ".zdebug" format. */
#ifndef TPROF_ELF_UNPACK_H
#define TPROF_ELF_UNPACK_H

#include "elf_file.h"

bool elf_is_packed(const struct elf_section *section);

/*
 * Gets the uncompressed size that the file claims, which is not trusted. Returns false if there is none, or if it is at
 * most @max_bytes and impossible. Reads a compressed section for that, at most @max_bytes of it.
 */
bool elf_unpacked_bytes(const struct elf_file *file, const struct elf_section *section, size_t max_bytes,
			uint64_t *bytes);

/* Is it compressed with Zstandard, which not every libelf supports? */
bool elf_is_zstd(const struct elf_file *file, const struct elf_section *section);

/* Copies the uncompressed contents. Returns false if they cannot be read or decompressed, or have another size. */
bool elf_unpack(const struct elf_file *file, const struct elf_section *section, void *buffer, size_t size);

#endif
