// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* A small ELF file in memory that contains only the wanted sections. */
#include "elf_image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_unpack.h"

#define MAX_NAME 24
/* Besides the parts, the null section and the section names. */
#define NR_SECTIONS (ELF_IMAGE_PARTS + 2)

/* The headers before the contents, in the class of the file. */
union layout {
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[NR_SECTIONS];
		char names[NR_SECTIONS][MAX_NAME];
	} of_64bit;
	struct {
		Elf32_Ehdr header;
		Elf32_Shdr sections[NR_SECTIONS];
		char names[NR_SECTIONS][MAX_NAME];
	} of_32bit;
};

struct section {
	const char *name;
	uint32_t type;
	uint64_t addr, offset, size;
};

struct sections {
	struct section at[NR_SECTIONS];
	uint16_t nr;			/* the first one is the null section */
};

/* Both classes have the same fields, with different sizes. */
#define FILL(layout, class, bits, file, table)									\
	do {													\
		(layout)->header = (Elf##bits##_Ehdr){								\
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, class, ELFDATA2LSB, EV_CURRENT },	\
			.e_type = ET_DYN,									\
			.e_machine = (file)->machine,								\
			.e_version = EV_CURRENT,								\
			.e_shoff = (Elf##bits##_Off)((char *)(layout)->sections - (char *)(layout)),		\
			.e_ehsize = sizeof(Elf##bits##_Ehdr),							\
			.e_shentsize = sizeof(Elf##bits##_Shdr),						\
			.e_shnum = (table)->nr,									\
			.e_shstrndx = 1,									\
		};												\
		for (uint16_t i = 1; i < (table)->nr; i++) {							\
			const struct section *section = &(table)->at[i];					\
														\
			strncpy((layout)->names[i], section->name, MAX_NAME - 1);				\
			(layout)->sections[i] = (Elf##bits##_Shdr){						\
				.sh_name = i * MAX_NAME,							\
				.sh_type = section->type,							\
				.sh_flags = section->addr ? SHF_ALLOC : 0,					\
				.sh_addr = (Elf##bits##_Addr)section->addr,					\
				.sh_offset = (Elf##bits##_Off)section->offset,					\
				.sh_size = (Elf##bits##_Off)section->size,					\
				.sh_addralign = 8,								\
			};											\
		}												\
	} while (0)

static void fill(union layout *layout, const struct elf_file *file, const struct sections *sections)
{
	if (file->is_64bit)
		FILL(&layout->of_64bit, ELFCLASS64, 64, file, sections);
	else
		FILL(&layout->of_32bit, ELFCLASS32, 32, file, sections);
}

static size_t names_at(const struct elf_file *file)
{
	return file->is_64bit ? offsetof(union layout, of_64bit.names) : offsetof(union layout, of_32bit.names);
}

/* Size of a part with its zero byte, aligned to 8. */
static uint64_t padded(uint64_t size)
{
	return (size + 8) & ~7ULL;
}

int elf_image_new(struct elf_image *image, const struct elf_file *like, struct elf_image_part *parts, size_t nr,
		  size_t max_bytes)
{
	struct sections table = { .nr = 1 };
	union layout layout = { 0 };
	uint64_t size = sizeof(layout);

	*image = (struct elf_image){ 0 };
	table.at[table.nr++] = (struct section){
		".shstrtab", SHT_STRTAB, 0, names_at(like), sizeof(layout.of_64bit.names)
	};
	for (size_t i = 0; i < nr; i++) {
		if (size > max_bytes || parts[i].size > max_bytes)
			return -E2BIG;
		table.at[table.nr++] = (struct section){
			parts[i].name, SHT_PROGBITS, parts[i].addr, size, parts[i].size
		};
		size += padded(parts[i].size);
	}
	if (size > max_bytes)
		return -E2BIG;
	image->bytes = calloc(1, (size_t)size);
	if (!image->bytes)
		return -ENOMEM;
	image->size = (size_t)size;
	for (size_t i = 0; i < nr; i++)
		parts[i].bytes = image->bytes + table.at[i + 2].offset;
	fill(&layout, like, &table);
	memcpy(image->bytes, &layout, sizeof(layout));
	return 0;
}

void elf_image_free(struct elf_image *image)
{
	free(image->bytes);
	*image = (struct elf_image){ 0 };
}

const struct elf_section *elf_image_find(const struct elf_file *file, const char *name)
{
	const struct elf_section *section = elf_file_find(file, name);
	char packed[MAX_NAME + 1];

	if (section || strncmp(name, ".debug", strlen(".debug")))
		return section;
	snprintf(packed, sizeof(packed), ".z%s", name + 1);
	return elf_file_find(file, packed);
}

int elf_image_read(struct elf_image *image, const struct elf_file *file, const char *const *names, size_t nr,
		   size_t max_bytes)
{
	const struct elf_section *sections[ELF_IMAGE_PARTS];
	struct elf_image_part parts[ELF_IMAGE_PARTS];
	size_t nr_parts = 0;
	int err;

	*image = (struct elf_image){ 0 };
	for (size_t i = 0; i < nr; i++) {
		const struct elf_section *section = elf_image_find(file, names[i]);

		if (!section || section->type == SHT_NOBITS) {
			if (i + 1 == nr)
				return -ENOENT;
			continue;
		}
		if (section->size > max_bytes)
			return -E2BIG;
		sections[nr_parts] = section;
		parts[nr_parts] = (struct elf_image_part){ .name = names[i], .addr = section->addr };
		if (!elf_unpacked_bytes(file, section, max_bytes, &parts[nr_parts].size))
			return -ENOEXEC;
		nr_parts++;
	}
	err = elf_image_new(image, file, parts, nr_parts, max_bytes);
	for (size_t i = 0; i < nr_parts && !err; i++) {
		if (!elf_unpack(file, sections[i], parts[i].bytes, parts[i].size))
			err = -ENOEXEC;
	}
	if (err)
		elf_image_free(image);
	return err;
}
