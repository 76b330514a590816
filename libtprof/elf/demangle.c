// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Demangles names of C++ and Rust functions with libiberty, and of OCaml functions. A short mangled name can expand to
 * 2^50 characters (each substitution doubles the length), and libiberty's printers cannot be stopped. They therefore
 * print piece by piece through a callback, which jumps out when the buffer is full.
 */
#include "demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "demangle_ocaml.h"

#define OPTIONS (DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP)

struct output {
	char *name;
	size_t used, size;
	jmp_buf full;
};

static void append(const char *piece, size_t size, void *opaque)
{
	struct output *output = opaque;

	if (!size)
		return;		/* the piece may then be NULL */
	if (size >= output->size - output->used)
		longjmp(output->full, 1);
	memcpy(output->name + output->used, piece, size);
	output->used += size;
}

static bool looks_mangled(const char *symbol)
{
	if (strncmp(symbol, "_Z", 2) && strncmp(symbol, "_R", 2) && strncmp(symbol, "_GLOBAL_", 8))
		return false;
	return strnlen(symbol, DEMANGLE_MAX_INPUT) < DEMANGLE_MAX_INPUT;
}

/* Tries Rust first: legacy Rust names are also valid C++ names. */
static bool print_demangled(const char *symbol, struct output *output)
{
	if (setjmp(output->full))
		return false;
	if (rust_demangle_callback(symbol, OPTIONS, append, output))
		return output->used > 0;
	output->used = 0;
	return cplus_demangle_v3_callback(symbol, OPTIONS, append, output) && output->used > 0;
}

bool demangle(const char *symbol, char *name, size_t size)
{
	struct output output = { .name = name, .size = size };
	bool ok;

	if (strnlen(symbol, DEMANGLE_MAX_INPUT) < DEMANGLE_MAX_INPUT && demangle_ocaml(symbol, name, size))
		return true;
	ok = size && looks_mangled(symbol) && print_demangled(symbol, &output);
	if (size)
		name[ok ? output.used : 0] = '\0';
	return ok;
}

void demangle_function(const char *symbol, char *name, size_t size)
{
	size_t length = strcspn(symbol, "@");
	const char *suffix = strcmp(symbol + length, "@plt") ? "" : "@plt";
	char bare[DEMANGLE_MAX_INPUT];

	/* A symbol that consists only of a version is shown as it is. */
	if (!length) {
		length = strlen(symbol);
		suffix = "";
	}
	if (length < sizeof(bare) && size > sizeof("@plt")) {
		memcpy(bare, symbol, length);
		bare[length] = '\0';
		if (demangle(bare, name, size - strlen(suffix))) {
			strcat(name, suffix);
			return;
		}
	}
	snprintf(name, size, "%.*s%s", (int)length, symbol, suffix);
}
