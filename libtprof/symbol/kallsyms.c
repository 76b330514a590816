// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Parser for one line of /proc/kallsyms. Hand-written for speed: the file has some 200,000 lines. */
#include "kallsyms.h"

#include <string.h>

static bool ends_with(const char *name, size_t length, const char *suffix)
{
	size_t suffix_length = strlen(suffix);

	return length >= suffix_length && !memcmp(name + length - suffix_length, suffix, suffix_length);
}

bool kallsyms_is_marker(const char *name, size_t length)
{
	static const char *const borders[] = { "_text", "_stext", "_etext", "_sinittext", "_einittext" };

	if (name[0] != '_')
		return false;
	for (size_t i = 0; i < sizeof(borders) / sizeof(*borders); i++) {
		if (length == strlen(borders[i]) && !memcmp(name, borders[i], length))
			return true;
	}
	return ends_with(name, length, "_text_start") || ends_with(name, length, "_text_end") ||
	       (length > 6 && !memcmp(name, "__pfx_", 6));
}

bool kallsyms_parse(const char *line, const char *end, struct kallsyms_line *sym)
{
	const char *name_end;

	*sym = (struct kallsyms_line){ 0 };
	for (; line < end && *line != ' '; line++) {
		int digit = *line <= '9' ? *line - '0' : (*line | 0x20) - 'a' + 10;

		if (digit < 0 || digit > 15)
			return false;
		sym->start = sym->start << 4 | (unsigned int)digit;
	}
	if (end - line < 4 || !sym->start)
		return false;
	sym->type = line[1];
	sym->name = line + 3;
	name_end = memchr(sym->name, '\t', end - sym->name);
	sym->object = name_end ? name_end + 1 : end;
	sym->object_length = end - sym->object;
	if (!name_end)
		name_end = end;
	sym->name_length = name_end - sym->name;
	sym->is_function = memchr("tTwW", sym->type, 4) && !kallsyms_is_marker(sym->name, sym->name_length);
	return sym->name_length > 0;
}
