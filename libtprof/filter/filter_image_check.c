// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Checks of a filter object that libbpf does not make itself. */
#include "filter_image_elf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "base/libbpf_log.h"
#include "filter_image_types.h"

/* libbpf adds offset and size of a program, which can overflow 64 bits. */
static bool is_in_its_section(const struct sections *sections, const Elf64_Sym *symbol)
{
	Elf64_Shdr section;

	/* Symbols without a section: kernel functions and file names. */
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return symbol->st_value == 0 && symbol->st_size == 0;
	if (symbol->st_shndx >= sections->nr)
		return false;
	section = image_section(sections, symbol->st_shndx);
	return symbol->st_value <= section.sh_size && symbol->st_size <= section.sh_size - symbol->st_value;
}

static int check_types(const struct filter_image *image, const Elf64_Shdr *section)
{
	struct libbpf_log said;
	struct btf *btf;
	int err = -ENOEXEC;

	libbpf_log_begin(&said, NULL);
	btf = btf__new(image->bytes + section->sh_offset, (uint32_t)section->sh_size);
	if (!btf && errno == ENOMEM)
		err = -ENOMEM;
	libbpf_log_end(&said);
	if (btf && image_types_are_sound(btf))
		err = 0;
	btf__free(btf);
	return err;
}

/* An object that is not BPF is left for libbpf to reject. */
static bool is_bpf(const struct filter_image *image)
{
	Elf64_Ehdr header;

	if (image->size < sizeof(header))
		return false;
	memcpy(&header, image->bytes, sizeof(header));
	return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_BPF;
}

int filter_image_check(const struct filter_image *image)
{
	struct sections sections;
	struct symbols symbols;
	Elf64_Shdr types;

	if (!is_bpf(image))
		return 0;
	if (!image_sections(image, &sections) || !image_symbols(image, &sections, &symbols))
		return -ENOEXEC;
	for (size_t i = 0; i < symbols.nr; i++) {
		Elf64_Sym symbol = image_symbol(&symbols, i);

		if (!is_in_its_section(&sections, &symbol))
			return -ENOEXEC;
	}
	/* Without BTF it is not a filter, which filter_find_constants() reports. */
	return image_find_section(&sections, SHT_PROGBITS, BTF_ELF_SEC, &types) ? check_types(image, &types) : 0;
}
