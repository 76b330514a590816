/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A window that moves over a file, for those who read a large part of it, mostly forwards, a few bytes at a time. The
 * file may shrink or change meanwhile.
 */
#ifndef TPROF_ELF_WINDOW_H
#define TPROF_ELF_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define ELF_WINDOW_BYTES 65536

struct elf_window {
	int fd;			/* not owned */
	uint64_t start;		/* of what is in the buffer */
	size_t size;
	uint8_t bytes[ELF_WINDOW_BYTES];
};

/* NULL if there is no memory; to be freed with free(). */
struct elf_window *elf_window_new(int fd);

/*
 * Up to @size bytes of the file at @offset, ELF_WINDOW_BYTES at most. *got says how many there are, which may be none.
 * Valid until the next call.
 */
const uint8_t *elf_window_some(struct elf_window *window, uint64_t offset, size_t size, size_t *got);
/* The same, but all of them, or NULL. */
const uint8_t *elf_window_at(struct elf_window *window, uint64_t offset, size_t size);

#endif
