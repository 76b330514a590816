// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The functions of an opened file with demangled names, and the source lines of its code. */
#include "dso_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "dso_lines.h"
#include "elf/demangle.h"
#include "elf/elf_symbols.h"

struct dso_names {
	struct dso_names *next;		/* next freed table */
	struct elf_symbols *symbols;
	struct dso_lines *lines;	/* NULL: none, or not wanted */
	const char **names;		/* names of symbols that were looked up; untouched pages use no memory */
	struct intern *strings;		/* all strings that were handed out */
};

static void free_tables(struct dso_names *names)
{
	dso_lines_close(names->lines);
	elf_symbols_close(names->symbols);
	free(names->names);
	names->lines = NULL;
	names->symbols = NULL;
	names->names = NULL;
}

void dso_names_free(struct dso_names *names)
{
	if (!names)
		return;
	free_tables(names);
	intern_free(names->strings);
	free(names);
}

struct dso_names *dso_names_open(int fd, const struct debug_search *search)
{
	struct dso_names *names = calloc(1, sizeof(*names));
	int err;

	if (!names)
		return NULL;
	names->symbols = elf_symbols_open(fd, search);
	err = names->symbols ? 0 : errno;
	if (!err) {
		names->strings = intern_new();
		names->names = calloc(elf_symbols_nr(names->symbols) + 1, sizeof(*names->names));
		err = names->strings && names->names ? 0 : ENOMEM;
	}
	if (!err)
		return names;
	dso_names_free(names);
	errno = err;
	return NULL;
}

int dso_names_add_lines(struct dso_names *names, int fd, const struct debug_search *search)
{
	names->lines = dso_lines_open(fd, search, names->strings);
	return names->lines ? 0 : -errno;
}

void dso_names_drop_lines(struct dso_names *names)
{
	dso_lines_close(names->lines);
	names->lines = NULL;
}

size_t dso_names_nr(const struct dso_names *names)
{
	return elf_symbols_nr(names->symbols);
}

size_t dso_names_bytes(const struct dso_names *names)
{
	return sizeof(*names) + elf_symbols_bytes(names->symbols) + intern_bytes(names->strings) +
	       (elf_symbols_nr(names->symbols) + 1) * sizeof(*names->names);
}

static const char *read_name(struct dso_names *names, size_t index)
{
	char symbol[ELF_NAME_MAX], name[2 * ELF_NAME_MAX];

	if (!elf_symbols_name(names->symbols, index, symbol, sizeof(symbol)))
		return NULL;
	demangle_function(symbol, name, sizeof(name));
	return intern_string(names->strings, name);
}

bool dso_names_find(struct dso_names *names, uint64_t offset, const char **name, uint64_t *delta)
{
	long index = elf_symbols_find(names->symbols, offset, delta);

	if (index < 0)
		return false;
	if (!names->names[index])
		names->names[index] = read_name(names, (size_t)index);
	*name = names->names[index];
	return *name != NULL;
}

size_t dso_names_places(struct dso_names *names, uint64_t offset, const struct elf_place **places)
{
	return names->lines ? dso_lines_find(names->lines, offset, places) : 0;
}

const char *dso_names_lost(const struct dso_names *names)
{
	return names->lines ? dso_lines_lost(names->lines) : NULL;
}

void dso_names_put_away(struct dso_names_away *away, struct dso_names *names)
{
	free_tables(names);
	names->next = away->first;
	away->first = names;
}

void dso_names_free_away(struct dso_names_away *away)
{
	while (away->first) {
		struct dso_names *names = away->first;

		away->first = names->next;
		dso_names_free(names);
	}
}
