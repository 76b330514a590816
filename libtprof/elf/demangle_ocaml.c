// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Names of OCaml functions: "caml", modules, the function and a number, parted by "__" in OCaml 4, by '.' or '$' in
 * releases of OCaml 5. Characters that assemblers do not like are '$' and two hexadecimal digits.
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

/* The character that is written as '$' and two digits; -1 if that is a separator. What needs none is not written so. */
static int escaped(const char *at)
{
	int high = digit(at[1]), low = high < 0 ? -1 : digit(at[2]), c = high * 16 + low;

	return low < 0 || c < ' ' || c > '~' || is_word(c) ? -1 : c;
}

static bool is_separator(const char *at)
{
	return at[0] == '$' || at[0] == '.' || (at[0] == '_' && at[1] == '_');
}

/* How much of it is name: the number at the end is the compiler's. */
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

	/* Functions in C have a '_' there. */
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
