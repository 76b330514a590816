// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* A small ELF file in memory that holds nothing but call frame information. */
#include "elf_cfi_image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_unpack.h"

#define MAX_NAME 20
/* None, the names, and two of the file's. */
#define NR_SECTIONS 4

/* What stands before the contents, in the form of the file's own class. */
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
	uint16_t nr;			/* the first is none */
};

static void add_section(struct sections *sections, const char *name, uint32_t type, uint64_t addr, uint64_t offset,
			uint64_t size)
{
	sections->at[sections->nr++] = (struct section){ name, type, addr, offset, size };
}

/* The same fields in both classes, of other sizes. */
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

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~7ULL;
}

/* By its name, or by that of the days when packed sections had another one. */
static const struct elf_section *find_section(const struct elf_file *file, const char *name)
{
	const struct elf_section *section = elf_file_find(file, name);
	char packed[MAX_NAME + 1];

	if (section || strncmp(name, ".debug", strlen(".debug")))
		return section;
	snprintf(packed, sizeof(packed), ".z%s", name + 1);
	return elf_file_find(file, packed);
}

/* What the image will take with @size of it taken, or -errno. */
static int64_t add_size(const struct elf_file *file, const struct elf_section *section, uint64_t size,
			size_t max_bytes, uint64_t *unpacked)
{
	if (section->size > max_bytes)
		return -E2BIG;
	if (!elf_unpacked_bytes(file, section, max_bytes, unpacked))
		return -ENOEXEC;
	if (*unpacked > max_bytes || size + padded(*unpacked) > max_bytes)
		return -E2BIG;
	return (int64_t)(size + padded(*unpacked));
}

int elf_cfi_image_read(struct elf_cfi_image *image, const struct elf_file *file, const char *name, const char *second,
		       size_t max_bytes)
{
	const char *const names[2] = { name, second };
	const struct elf_section *sections[2] = { find_section(file, name), second ? find_section(file, second) :
						  NULL };
	struct sections table = { .nr = 1 };
	union layout layout = { 0 };
	uint64_t unpacked[2];
	int64_t size = sizeof(layout);

	*image = (struct elf_cfi_image){ 0 };
	if (!sections[0] || sections[0]->type == SHT_NOBITS)
		return -ENOENT;
	for (int i = 0; i < 2 && sections[i]; i++) {
		size = add_size(file, sections[i], (uint64_t)size, max_bytes, &unpacked[i]);
		if (size < 0)
			return (int)size;
	}
	image->bytes = calloc(1, (size_t)size);
	if (!image->bytes)
		return -ENOMEM;
	image->size = (size_t)size;
	add_section(&table, ".shstrtab", SHT_STRTAB, 0, names_at(file), sizeof(layout.of_64bit.names));
	size = sizeof(layout);
	/* libdw wants the index before what it is of. */
	for (int i = 1; i >= 0; i--) {
		if (!sections[i])
			continue;
		if (!elf_unpack(file, sections[i], image->bytes + size, unpacked[i])) {
			elf_cfi_image_free(image);
			return -ENOEXEC;
		}
		add_section(&table, names[i], SHT_PROGBITS, sections[i]->addr, (uint64_t)size, unpacked[i]);
		size += (int64_t)padded(unpacked[i]);
	}
	fill(&layout, file, &table);
	memcpy(image->bytes, &layout, sizeof(layout));
	return 0;
}

void elf_cfi_image_free(struct elf_cfi_image *image)
{
	free(image->bytes);
	*image = (struct elf_cfi_image){ 0 };
}
