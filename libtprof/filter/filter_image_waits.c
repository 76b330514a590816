// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Joins the programs of a filter for waits and for wake-ups in one struct_ops map: moves a relocation. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "filter_image_elf.h"
#include "tprof/object.h"

#define OFFCPU offsetof(struct tprof_filter_ops, offcpu)

static const char *name_of(const struct symbols *symbols, const Elf64_Sym *symbol)
{
	return symbol->st_name < symbols->names_size ? symbols->names + symbol->st_name : "";
}

/* Finds the map of TPROF_OFFCPU() that has the name of that of TPROF_WAKEUP(). */
static bool find_other(const struct symbols *symbols, const Elf64_Sym *wakeup, Elf64_Sym *found)
{
	const char *name = name_of(symbols, wakeup);
	size_t suffix = strlen(TPROF_WAKEUP_OPS_SUFFIX), length = strlen(name);
	char other[TPROF_NAME_MAX + sizeof(TPROF_OFFCPU_OPS_SUFFIX)];

	if (length <= suffix || length > TPROF_NAME_MAX ||
	    strcmp(name + length - suffix, TPROF_WAKEUP_OPS_SUFFIX) != 0)
		return false;
	snprintf(other, sizeof(other), "%.*s" TPROF_OFFCPU_OPS_SUFFIX, (int)(length - suffix), name);
	for (size_t i = 1; i < symbols->nr; i++) {
		*found = image_symbol(symbols, i);
		if (found->st_shndx == wakeup->st_shndx && strcmp(name_of(symbols, found), other) == 0)
			return true;
	}
	return false;
}

/* The relocations of a section that are at one offset get another. */
static void move(const struct sections *sections, size_t section, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < sections->nr; i++) {
		Elf64_Shdr header = image_section(sections, i);
		char *relocations = sections->base + header.sh_offset;

		if (header.sh_type != SHT_REL || header.sh_info != section)
			continue;
		for (size_t r = 0; r < header.sh_size / sizeof(Elf64_Rel); r++) {
			Elf64_Rel rel;

			memcpy(&rel, relocations + r * sizeof(rel), sizeof(rel));
			if (rel.r_offset == from)
				rel.r_offset = to;
			memcpy(relocations + r * sizeof(rel), &rel, sizeof(rel));
		}
	}
}

void filter_image_join_waits(struct filter_image *image)
{
	struct sections sections;
	struct symbols symbols;

	if (!image_sections(image, &sections) || !image_symbols(image, &sections, &symbols))
		return;
	for (size_t i = 1; i < symbols.nr; i++) {
		Elf64_Sym wakeup = image_symbol(&symbols, i), offcpu;

		if (find_other(&symbols, &wakeup, &offcpu))
			move(&sections, wakeup.st_shndx, offcpu.st_value + OFFCPU, wakeup.st_value + OFFCPU);
	}
}
