// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Cleans names for output formats that require UTF-8, and for display. */
#include "utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tprof.h"

/* The lowest code point that needs a sequence of this length; a lower one is an overlong encoding. */
static const unsigned int lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };

static size_t length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0)
		return 0;
	if (first < 0xe0)
		return 2;
	if (first < 0xf0)
		return 3;
	return first < 0xf8 ? 4 : 0;
}

/* Length in bytes of the character that starts here; 0: invalid. */
static size_t character(const unsigned char *text)
{
	size_t length = length_of(text[0]);
	unsigned int code;

	if (length < 2)
		return length;
	code = text[0] & (0x7fU >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < lowest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return length;
}

/* @text must start with a complete character. */
static bool is_control(const unsigned char *text)
{
	return text[0] < ' ' || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

static void replace(char *text, bool controls)
{
	while (*text) {
		const unsigned char *bytes = (const unsigned char *)text;
		size_t length = character(bytes), taken = length ? length : 1;

		if (!length || (controls && is_control(bytes)))
			memset(text, '?', taken);
		text += taken;
	}
}

void tprof_text__mend(char *text)
{
	replace(text, false);
}

void utf8_clean(char *text)
{
	replace(text, true);
}
