/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Build ids of ELF files. */
#ifndef TPROF_ELF_BUILD_ID_H
#define TPROF_ELF_BUILD_ID_H

#include "elf_file.h"

#define ELF_BUILD_ID_MAX 20
#define ELF_BUILD_ID_TEXT (2 * ELF_BUILD_ID_MAX + 1)

/* Converts to hexadecimal; "" if @length is 0. Returns @text. */
const char *elf_build_id_text(char text[ELF_BUILD_ID_TEXT], const uint8_t *build_id, size_t length);

/* Finds the build id in @size bytes of notes, which are aligned to 4 or 8 bytes. Returns its length; 0: not found. */
size_t elf_notes_build_id(const uint8_t *notes, size_t size, size_t align, uint8_t build_id[ELF_BUILD_ID_MAX]);
/* Reads the build id from the notes of a file. Returns its length; 0: there is none, or it is invalid. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t build_id[ELF_BUILD_ID_MAX]);
/* The same for a file descriptor. */
size_t elf_build_id(int fd, uint8_t build_id[ELF_BUILD_ID_MAX]);

#endif
