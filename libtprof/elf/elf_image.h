/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A small ELF file in memory, for libdw: what is wanted of a file is read once, unpacked and with bounds, and libdw has
 * no other part of it to stumble over and no file that could shrink below its feet.
 */
#ifndef TPROF_ELF_IMAGE_H
#define TPROF_ELF_IMAGE_H

#include "elf_file.h"

/* As many as an image may have. */
#define ELF_IMAGE_PARTS 16

struct elf_image {
	char *bytes;			/* NULL: nothing in it */
	size_t size;
};

/* One of its sections. */
struct elf_image_part {
	const char *name;		/* up to 23 bytes */
	uint64_t addr, size;
	char *bytes;			/* where in the image it is, set by elf_image_new() */
};

/*
 * Makes room for the parts, with a byte of zero behind each; the caller fills them. The image has the class and machine
 * of @like. Errors: E2BIG (it would be larger than @max_bytes), ENOMEM.
 */
int elf_image_new(struct elf_image *image, const struct elf_file *like, struct elf_image_part *parts, size_t nr,
		  size_t max_bytes);
void elf_image_free(struct elf_image *image);

/* The section of the file by that name, or by the one that packed sections had before there was a flag for it. */
const struct elf_section *elf_image_find(const struct elf_file *file, const char *name);

/*
 * Copies sections, unpacked: those of @names that are there, the last of which has to be. Errors: ENOENT, E2BIG,
 * ENOEXEC (contents that are not there, or damaged), ENOMEM.
 */
int elf_image_read(struct elf_image *image, const struct elf_file *file, const char *const *names, size_t nr,
		   size_t max_bytes);

#endif
