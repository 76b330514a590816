// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The parts of a filter for waits and for wake-ups: joins their programs in one struct_ops map, by moving a relocation,
 * and finds those without a filter.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
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

static bool has_symbol(const struct symbols *symbols, const char *name)
{
	for (size_t i = 1; i < symbols->nr; i++) {
		Elf64_Sym symbol = image_symbol(symbols, i);

		if (symbol.st_shndx != SHN_UNDEF && strcmp(name_of(symbols, &symbol), name) == 0)
			return true;
	}
	return false;
}

/* Is it the name of a program with this suffix, and the object lacks that of the TPROF_FILTER()? */
static bool lacks_filter(const struct symbols *symbols, const char *name, const char *suffix,
			 char filter[TPROF_NAME_MAX + 1])
{
	size_t length = strlen(name), suffix_length = strlen(suffix);
	char wanted[TPROF_NAME_MAX + sizeof(TPROF_PERF_SUFFIX)];

	if (length <= suffix_length || length > TPROF_NAME_MAX || strcmp(name + length - suffix_length, suffix) != 0)
		return false;
	snprintf(filter, TPROF_NAME_MAX + 1, "%.*s", (int)(length - suffix_length), name);
	snprintf(wanted, sizeof(wanted), "%s" TPROF_PERF_SUFFIX, filter);
	return !has_symbol(symbols, wanted);
}

const char *filter_image_find_alone(const struct filter_image *image, char filter[TPROF_NAME_MAX + 1])
{
	static const struct {
		const char *macro, *suffix;
	} parts[] = {
		{ "TPROF_OFFCPU", TPROF_OFFCPU_WAIT_SUFFIX }, { "TPROF_WAKEUP", TPROF_WAKEUP_WAKE_SUFFIX },
	};
	struct sections sections;
	struct symbols symbols;

	if (!image_sections(image, &sections) || !image_symbols(image, &sections, &symbols))
		return NULL;
	for (size_t i = 1; i < symbols.nr; i++) {
		Elf64_Sym symbol = image_symbol(&symbols, i);

		for (size_t k = 0; k < ARRAY_SIZE(parts); k++) {
			if (lacks_filter(&symbols, name_of(&symbols, &symbol), parts[k].suffix, filter))
				return parts[k].macro;
		}
	}
	return NULL;
}
