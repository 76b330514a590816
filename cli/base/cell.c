// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text that is fitted to a number of columns. Names of processes and symbols may contain any bytes, and a wide
 * character takes two columns. The encoding is that of the locale.
 */
#include "cell.h"

#include <langinfo.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

/* Reads one character: its bytes and columns, replaced if unprintable. Returns the number of bytes consumed. */
static size_t next(const char *text, const char **bytes, size_t *nr_bytes, int *columns)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t length = mbrtowc(&wide, text, strlen(text), &state);

	if (length != (size_t)-1 && length != (size_t)-2 && wcwidth(wide) >= 0) {
		*bytes = text;
		*nr_bytes = length;
		*columns = wcwidth(wide);
		return length;
	}
	*bytes = "?";
	*nr_bytes = 1;
	*columns = 1;
	return length == (size_t)-1 || length == (size_t)-2 ? 1 : length;
}

int cell_width(const char *text)
{
	int width = 0;

	while (*text) {
		const char *bytes;
		size_t nr_bytes;
		int columns;

		text += next(text, &bytes, &nr_bytes, &columns);
		width += columns;
	}
	return width;
}

const char *cell_ellipsis(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? "~" : "…";
}

const char *cell_fit(struct cell *cell, const char *text, int columns)
{
	const size_t capacity = sizeof(cell->text) - sizeof("…");
	int space = columns, width = 0;
	size_t used = 0;
	bool cut = cell_width(text) > columns;

	if (cut)
		space--;
	while (*text) {
		const char *bytes;
		size_t nr_bytes;
		int wide;

		text += next(text, &bytes, &nr_bytes, &wide);
		if (width + wide > space || used + nr_bytes > capacity)
			break;
		memcpy(cell->text + used, bytes, nr_bytes);
		used += nr_bytes;
		width += wide;
	}
	if (cut && columns > 0) {
		used = (size_t)(stpcpy(cell->text + used, cell_ellipsis()) - cell->text);
		width++;
	}
	for (; width < columns && used < capacity; width++)
		cell->text[used++] = ' ';
	cell->text[used] = 0;
	return cell->text;
}
