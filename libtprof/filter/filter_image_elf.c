// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Access to sections and symbols of a filter object in memory. */
#include "filter_image_elf.h"

#include <string.h>

static bool is_inside(const struct filter_image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

Elf64_Shdr image_section(const struct sections *sections, size_t index)
{
	Elf64_Shdr header;

	memcpy(&header, sections->headers + index * sizeof(header), sizeof(header));
	return header;
}

void image_set_section(const struct sections *sections, size_t index, const Elf64_Shdr *header)
{
	memcpy(sections->headers + index * sizeof(*header), header, sizeof(*header));
}

const char *image_section_name(const struct sections *sections, const Elf64_Shdr *header)
{
	return header->sh_name < sections->names_size ? sections->names + header->sh_name : "";
}

/* The string table in a section; false if it is not NUL-terminated. */
static bool strings_of(const struct filter_image *image, const Elf64_Shdr *header, const char **text, size_t *size)
{
	*text = image->bytes + header->sh_offset;
	*size = header->sh_size;
	return header->sh_size && (*text)[header->sh_size - 1] == '\0';
}

bool image_sections(const struct filter_image *image, struct sections *sections)
{
	Elf64_Ehdr header;
	Elf64_Shdr names;

	if (!is_inside(image, 0, sizeof(header)))
		return false;
	memcpy(&header, image->bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
	    !is_inside(image, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
		return false;
	*sections = (struct sections){
		.base = image->bytes,
		.headers = image->bytes + header.e_shoff,
		.nr = header.e_shnum,
	};
	for (size_t i = 0; i < sections->nr; i++) {
		Elf64_Shdr section = image_section(sections, i);

		if (section.sh_type != SHT_NOBITS && !is_inside(image, section.sh_offset, section.sh_size))
			return false;
	}
	names = image_section(sections, header.e_shstrndx);
	return names.sh_type != SHT_NOBITS && strings_of(image, &names, &sections->names, &sections->names_size);
}

bool image_find_section(const struct sections *sections, uint32_t type, const char *name, Elf64_Shdr *found)
{
	for (size_t i = 0; i < sections->nr; i++) {
		*found = image_section(sections, i);
		if (found->sh_type == type && (!name || strcmp(image_section_name(sections, found), name) == 0))
			return true;
	}
	return false;
}

bool image_symbols(const struct filter_image *image, const struct sections *sections, struct symbols *symbols)
{
	Elf64_Shdr table, names;

	if (!image_find_section(sections, SHT_SYMTAB, NULL, &table) || table.sh_link >= sections->nr)
		return false;
	names = image_section(sections, table.sh_link);
	symbols->at = image->bytes + table.sh_offset;
	symbols->nr = table.sh_size / sizeof(Elf64_Sym);
	return names.sh_type == SHT_STRTAB && strings_of(image, &names, &symbols->names, &symbols->names_size);
}

Elf64_Sym image_symbol(const struct symbols *symbols, size_t index)
{
	Elf64_Sym symbol = { 0 };

	if (index < symbols->nr)
		memcpy(&symbol, symbols->at + index * sizeof(symbol), sizeof(symbol));
	return symbol;
}
