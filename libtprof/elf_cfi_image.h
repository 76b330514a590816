/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A small ELF file in memory that holds nothing but call frame information, for libdw: what is wanted of a file is read
 * once, with bounds, and libdw has no other part of it to stumble over and no file that could shrink below its feet.
 */
#ifndef TPROF_ELF_CFI_IMAGE_H
#define TPROF_ELF_CFI_IMAGE_H

#include "elf_file.h"

struct elf_cfi_image {
	char *bytes;			/* NULL: nothing in it */
	size_t size;
};

/*
 * Copies the sections that have these names (NULL: no second one), unpacked; at least @name has to be there. Errors:
 * ENOENT, E2BIG (all together are larger than @max_bytes), ENOEXEC (contents that are not there, or damaged), ENOMEM.
 */
int elf_cfi_image_read(struct elf_cfi_image *image, const struct elf_file *file, const char *name, const char *second,
		       size_t max_bytes);
void elf_cfi_image_free(struct elf_cfi_image *image);

#endif
