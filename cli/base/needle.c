// SPDX-License-Identifier: GPL-2.0-only
/* The search text of a view. */
#include "needle.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

enum { KEY_DELETE = 127 };

/* Removes the last character, which may have several bytes in UTF-8. */
static void shorten(struct needle *needle)
{
	size_t length = strlen(needle->text);

	while (length && (needle->text[length - 1] & 0xc0) == 0x80)
		length--;
	needle->text[length ? length - 1 : 0] = 0;
}

void needle_key(struct needle *needle, int key)
{
	size_t length = strlen(needle->text);

	if (key == NEEDLE_ESCAPE)
		needle->text[0] = 0;
	if (key == NEEDLE_ESCAPE || key == '\n' || key == '\r' || key == KEY_ENTER)
		needle->typing = false;
	else if (key == KEY_BACKSPACE || key == KEY_DELETE || key == '\b')
		shorten(needle);
	else if (key >= ' ' && key <= 0xff && length + 1 < sizeof(needle->text))
		needle->text[length] = (char)key, needle->text[length + 1] = 0;
}

bool needle_is_in(const struct needle *needle, const char *text)
{
	return !needle->text[0] || strcasestr(text, needle->text);
}

void needle_line(const struct needle *needle, char *line, size_t size)
{
	snprintf(line, size, "/%s_   Enter: keep, Esc: clear", needle->text);
}
