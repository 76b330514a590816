// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Demangles names of OCaml functions: "caml", modules, function and a number, separated by "__" in OCaml 4, and by '.'
 * or '$' in releases of OCaml 5. Characters that assemblers do not accept are encoded as '$' and two hexadecimal
 * digits.
 */
#include "demangle_ocaml.h"

#include <string.h>

#define PREFIX "caml"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_word(int c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Decodes '$' and two digits; -1 if the '$' is a separator. Characters that need no encoding are never encoded. */
static int escaped(const char *at)
{
	int high = digit(at[1]), low = high < 0 ? -1 : digit(at[2]), c = high * 16 + low;

	return low < 0 || c < ' ' || c > '~' || is_word(c) ? -1 : c;
}

static bool is_separator(const char *at)
{
	return at[0] == '$' || at[0] == '.' || (at[0] == '_' && at[1] == '_');
}

/* Length without the compiler's number at the end. */
static size_t length_without_number(const char *symbol)
{
	size_t length = strlen(symbol), end = length;

	while (end && symbol[end - 1] >= '0' && symbol[end - 1] <= '9')
		end--;
	return end > 1 && end < length && symbol[end - 1] == '_' && symbol[end - 2] != '_' ? end - 1 : length;
}

bool demangle_ocaml(const char *symbol, char *name, size_t size)
{
	size_t at = sizeof(PREFIX) - 1, used = 0, length = length_without_number(symbol);
	bool parted = false;

	/* C functions of the OCaml runtime have a '_' there. */
	if (strncmp(symbol, PREFIX, at) || symbol[at] < 'A' || symbol[at] > 'Z')
		return false;
	while (at < length && used + 1 < size) {
		int c = symbol[at], escape = c == '$' ? escaped(symbol + at) : -1;

		if (escape >= 0) {
			name[used++] = (char)escape;
			at += 3;
		} else if (is_separator(symbol + at) && at + (c == '_' ? 2 : 1) < length) {
			name[used++] = '.';
			at += c == '_' ? 2 : 1;
			parted = true;
		} else {
			name[used++] = (char)c;
			at++;
		}
	}
	if (used < size)
		name[used] = '\0';
	return parted && at >= length && used < size;
}
