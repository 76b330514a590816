// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Strings of a file, with a buffer of windows: each place of the table has one window in which it can be. */
#include "elf_strings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_BYTES 16384
/* The names of a compiler take 2 MiB, and aliases are compared in the order of their addresses. */
#define MAX_WINDOWS 256
/* Nearly all names are shorter. */
#define SHORT_NAME 128

struct window {
	uint64_t number;		/* of the window in the table, from 1; 0: empty */
	size_t length;			/* bytes that could be read */
};

/* The bytes of a window that is not read take no memory: the kernel has not mapped them yet. */
struct elf_strings_buffer {
	size_t nr;
	struct window windows[MAX_WINDOWS];
	char bytes[][WINDOW_BYTES];
};

void elf_strings_buffer(struct elf_strings *strings)
{
	uint64_t nr = strings->size / WINDOW_BYTES + 1;

	if (nr > MAX_WINDOWS)
		nr = MAX_WINDOWS;
	if (strings->buffer)
		return;
	strings->buffer = malloc(sizeof(*strings->buffer) + nr * WINDOW_BYTES);
	if (!strings->buffer)
		return;
	*strings->buffer = (struct elf_strings_buffer){ .nr = nr };
}

void elf_strings_unbuffer(struct elf_strings *strings)
{
	free(strings->buffer);
	strings->buffer = NULL;
}

/* The window with a place of the table, and its bytes. */
static const struct window *find_window(const struct elf_strings *strings, uint64_t at, const char **bytes)
{
	uint64_t number = at / WINDOW_BYTES, begin = number * WINDOW_BYTES, left = strings->size - begin;
	size_t index = number % strings->buffer->nr;
	struct window *window = &strings->buffer->windows[index];
	char *into = strings->buffer->bytes[index];
	ssize_t got;

	*bytes = into;
	if (window->number == number + 1)
		return window;
	got = pread(strings->fd, into, left < WINDOW_BYTES ? left : WINDOW_BYTES, (off_t)(strings->offset + begin));
	window->number = number + 1;
	window->length = got < 0 ? 0 : (size_t)got;
	return window;
}

static bool read_buffered(const struct elf_strings *strings, uint64_t at, char *string, size_t size)
{
	while (size && at < strings->size) {
		const char *bytes, *end;
		const struct window *window = find_window(strings, at, &bytes);
		size_t skip = at % WINDOW_BYTES, length, left;

		if (skip >= window->length)
			return false;
		left = window->length - skip;
		end = memchr(bytes + skip, '\0', left);
		length = end ? (size_t)(end - (bytes + skip)) + 1 : left;
		memcpy(string, bytes + skip, length < size ? length : size);
		if (length > size)
			return false;
		if (end)
			return true;
		string += length;
		size -= length;
		at += length;
	}
	return false;
}

bool elf_strings_read(const struct elf_strings *strings, uint64_t at, char *string, size_t size)
{
	size_t wanted = size < SHORT_NAME ? size : SHORT_NAME;

	if (at >= strings->size || strings->offset > INT64_MAX - strings->size)
		return false;
	if (strings->buffer)
		return read_buffered(strings, at, string, size);
	for (;; wanted = size) {
		size_t length = strings->size - at < wanted ? strings->size - at : wanted;
		ssize_t got = pread(strings->fd, string, length, (off_t)(strings->offset + at));

		if (got <= 0)
			return false;
		if (memchr(string, '\0', (size_t)got))
			return true;
		if (wanted == size)
			return false;
	}
}
