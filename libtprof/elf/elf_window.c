// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* A read buffer over a file. */
#include "elf_window.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct elf_window *elf_window_new(int fd)
{
	struct elf_window *window = malloc(sizeof(*window));

	if (!window)
		return NULL;
	window->fd = fd;
	window->start = 0;
	window->size = 0;
	return window;
}

static bool has(const struct elf_window *window, uint64_t offset, size_t size)
{
	return offset >= window->start && offset - window->start <= window->size &&
	       size <= window->size - (offset - window->start);
}

const uint8_t *elf_window_some(struct elf_window *window, uint64_t offset, size_t size, size_t *got)
{
	ssize_t bytes;

	if (!has(window, offset, size)) {
		bytes = offset > INT64_MAX ? 0 : pread(window->fd, window->bytes, sizeof(window->bytes), (off_t)offset);
		window->start = offset;
		window->size = bytes < 0 ? 0 : (size_t)bytes;
	}
	*got = window->size - (size_t)(offset - window->start);
	if (*got > size)
		*got = size;
	return window->bytes + (offset - window->start);
}

const uint8_t *elf_window_at(struct elf_window *window, uint64_t offset, size_t size)
{
	size_t got;
	const uint8_t *bytes = elf_window_some(window, offset, size, &got);

	return got == size ? bytes : NULL;
}
