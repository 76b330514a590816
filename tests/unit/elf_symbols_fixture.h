/* SPDX-License-Identifier: GPL-2.0-only */
/* The function symbols of a file in the working directory, for the tests of elf_symbols.c. */
#ifndef TPROF_TESTS_ELF_SYMBOLS_FIXTURE_H
#define TPROF_TESTS_ELF_SYMBOLS_FIXTURE_H

#include "elf_fixture.h"

#include "elf/elf_symbols.h"

static struct elf_symbols *open_symbols(const char *name)
{
	int fd = open(name, O_RDONLY);
	struct elf_symbols *symbols;

	assert_true(fd >= 0);
	symbols = elf_symbols_open(fd, &(struct debug_search){ .path = absolute(name), .root = -1 });
	close(fd);
	return symbols;
}

/* Returns the name at a file offset, or "". */
static const char *name_at(const struct elf_symbols *symbols, uint64_t offset)
{
	static char name[ELF_NAME_MAX];
	uint64_t delta;
	long index = elf_symbols_find(symbols, offset, &delta);

	if (index < 0 || !elf_symbols_name(symbols, index, name, sizeof(name)))
		return "";
	return name;
}

/* Returns the start of the function at a file offset, with or without a name; UINT64_MAX if it is unknown. */
static inline uint64_t start_at(const struct elf_symbols *symbols, uint64_t offset)
{
	uint64_t delta;

	return elf_symbols_find(symbols, offset, &delta) < 0 ? UINT64_MAX : offset - delta;
}

/* Removes the section headers from a 64-bit file. */
static inline void remove_headers(const char *name)
{
	static const char zeroes[8];
	int fd = open(name, O_RDWR);

	/* e_shoff; e_shentsize, e_shnum and e_shstrndx */
	assert_int_equal(pwrite(fd, zeroes, 8, 0x28), 8);
	assert_int_equal(pwrite(fd, zeroes, 6, 0x3a), 6);
	close(fd);
}

#endif
