/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A string table of a file. While the symbols of a file are read, tens of thousands of names are compared, in any
 * order, so parts of the table are buffered then.
 */
#ifndef TPROF_ELF_STRINGS_H
#define TPROF_ELF_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_strings_buffer;

struct elf_strings {
	int fd;				/* not owned */
	uint64_t offset, size;		/* of the table in the file */
	struct elf_strings_buffer *buffer;	/* NULL: each name is read from the file */
};

/* Buffers the table, in at most four MiB. Without memory, names are read from the file. */
void elf_strings_buffer(struct elf_strings *strings);
void elf_strings_unbuffer(struct elf_strings *strings);

/*
 * Reads the string at @at of the table. Returns false if it cannot be read, or does not end within @size or within the
 * table; @string may then hold its beginning, without NUL.
 */
bool elf_strings_read(const struct elf_strings *strings, uint64_t at, char *string, size_t size);

#endif
