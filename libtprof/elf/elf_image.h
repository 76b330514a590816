/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A small ELF file in memory, for libdw. It holds only the wanted sections, read once, decompressed and size-limited.
 * libdw therefore cannot read malformed other sections, or a file that shrinks while it is mapped.
 */
#ifndef TPROF_ELF_IMAGE_H
#define TPROF_ELF_IMAGE_H

#include "elf_file.h"

/* Maximum number of parts in an image. */
#define ELF_IMAGE_PARTS 16

struct elf_image {
	char *bytes;			/* NULL: empty */
	size_t size;
};

/* A section of the image. */
struct elf_image_part {
	const char *name;		/* at most 23 bytes */
	uint64_t addr, size;
	char *bytes;			/* its location in the image, set by elf_image_new() */
};

/*
 * Allocates the image, with a zero byte after each part; the caller fills in the parts. The image has the class and
 * machine of @like. Errors: E2BIG (it would be larger than @max_bytes), ENOMEM.
 */
int elf_image_new(struct elf_image *image, const struct elf_file *like, struct elf_image_part *parts, size_t nr,
		  size_t max_bytes);
void elf_image_free(struct elf_image *image);

/* Finds a section by name, or by its .zdebug name (compressed sections before SHF_COMPRESSED). */
const struct elf_section *elf_image_find(const struct elf_file *file, const char *name);

/*
 * Copies and decompresses the sections in @names that exist; the last one is required. Errors: ENOENT, E2BIG, ENOEXEC
 * (contents are missing or malformed), ENOMEM.
 */
int elf_image_read(struct elf_image *image, const struct elf_file *file, const char *const *names, size_t nr,
		   size_t max_bytes);

#endif
