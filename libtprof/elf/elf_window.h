/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A read buffer over a file, for code that reads large parts of it, mostly forward, a few bytes at a time. The file may
 * shrink or change meanwhile.
 */
#ifndef TPROF_ELF_WINDOW_H
#define TPROF_ELF_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define ELF_WINDOW_BYTES 65536

struct elf_window {
	int fd;			/* not owned */
	uint64_t start;		/* file offset of the buffer */
	size_t size;
	uint8_t bytes[ELF_WINDOW_BYTES];
};

/* Returns NULL if memory is exhausted. Free it with free(). */
struct elf_window *elf_window_new(int fd);

/*
 * Returns up to @size bytes of the file at @offset, at most ELF_WINDOW_BYTES. *got is their number, which may be 0.
 * Valid until the next call.
 */
const uint8_t *elf_window_some(struct elf_window *window, uint64_t offset, size_t size, size_t *got);
/* The same, but returns NULL unless all bytes are available. */
const uint8_t *elf_window_at(struct elf_window *window, uint64_t offset, size_t size);

#endif
