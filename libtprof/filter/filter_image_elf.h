/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Access to sections and symbols of a filter object in memory. Nothing in the file is trusted. */
#ifndef TPROF_FILTER_IMAGE_ELF_H
#define TPROF_FILTER_IMAGE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "filter_image.h"

/* The sections of an image. Sections outside of the image appear empty. */
struct sections {
	char *base;
	char *headers;			/* Elf64_Shdr, may be unaligned */
	size_t nr;
	const char *names;		/* NUL-terminated */
	size_t names_size;
};

/* Symbols by index, as relocations refer to them. */
struct symbols {
	char *at;			/* Elf64_Sym, may be unaligned */
	size_t nr;
	const char *names;
	size_t names_size;
};

/* False if the image is not a 64-bit ELF object, or a section lies outside of it. */
bool image_sections(const struct filter_image *image, struct sections *sections);
Elf64_Shdr image_section(const struct sections *sections, size_t index);
void image_set_section(const struct sections *sections, size_t index, const Elf64_Shdr *header);
const char *image_section_name(const struct sections *sections, const Elf64_Shdr *header);
/* Finds the first section of that type, and of that name unless NULL. */
bool image_find_section(const struct sections *sections, uint32_t type, const char *name, Elf64_Shdr *found);

bool image_symbols(const struct filter_image *image, const struct sections *sections, struct symbols *symbols);
/* All zero if the index is out of range. */
Elf64_Sym image_symbol(const struct symbols *symbols, size_t index);

#endif
