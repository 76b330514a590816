// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The functions of an object with all of their names. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"
#include "elf/demangle.h"
#include "elf/elf_symbols.h"

struct wanted {
	const char *pattern;
	int (*fn)(void *ctx, const struct tprof_function *function);
	void *ctx;
};

/* A name as in the file, and as displayed. */
struct alias {
	char symbol[ELF_NAME_MAX], name[2 * ELF_NAME_MAX];
};

static bool next_alias(const struct elf_symbols *symbols, size_t index, size_t *at, struct alias *alias)
{
	if (!elf_symbols_next_alias(symbols, index, at, alias->symbol, sizeof(alias->symbol)))
		return false;
	demangle_function(alias->symbol, alias->name, sizeof(alias->name));
	return true;
}

static bool is_wanted(const struct elf_symbols *symbols, size_t index, const char *pattern)
{
	size_t at = elf_symbols_first_alias(symbols, index);
	struct alias alias;

	if (!pattern)
		return true;
	while (next_alias(symbols, index, &at, &alias)) {
		utf8_clean(alias.name);
		if (!fnmatch(pattern, alias.name, 0))
			return true;
	}
	return false;
}

/* The first alias whose displayed form is @shown: a symbol may be in two tables. */
static bool find_shown(const struct elf_symbols *symbols, size_t index, const char *shown, struct alias *alias)
{
	size_t at = elf_symbols_first_alias(symbols, index), length = strlen(shown);

	while (next_alias(symbols, index, &at, alias)) {
		if (!strncmp(alias->symbol, shown, length) && (!alias->symbol[length] || alias->symbol[length] == '@'))
			return true;
	}
	return false;
}

static int tell(const struct wanted *wanted, struct tprof_function *function, const struct alias *alias)
{
	struct alias clean = *alias;

	utf8_clean(clean.name);
	utf8_clean(clean.symbol);
	function->name = clean.name;
	function->symbol = clean.symbol;
	return wanted->fn(wanted->ctx, function);
}

/* Reports all names of one function, the displayed one first. Equal names in a row are reported once. */
static int tell_all(const struct elf_symbols *symbols, size_t index, const struct alias *shown,
		    const struct wanted *wanted)
{
	size_t at = elf_symbols_first_alias(symbols, index);
	struct tprof_function function = { .is_shown = true };
	char before[ELF_NAME_MAX] = "";
	struct alias alias;
	int err;

	elf_symbols_at(symbols, index, &function.address, &function.size);
	err = tell(wanted, &function, shown);
	function.is_shown = false;
	while (!err && next_alias(symbols, index, &at, &alias)) {
		if (!strcmp(alias.symbol, shown->symbol) || !strcmp(alias.symbol, before))
			continue;
		strcpy(before, alias.symbol);
		err = tell(wanted, &function, &alias);
	}
	return err;
}

static int tell_functions(const struct elf_symbols *symbols, const struct wanted *wanted)
{
	char name[ELF_NAME_MAX];
	struct alias shown;
	int err = 0;

	for (size_t i = 0; i < elf_symbols_nr(symbols) && !err; i++) {
		if (elf_symbols_name(symbols, i, name, sizeof(name)) && find_shown(symbols, i, name, &shown) &&
		    is_wanted(symbols, i, wanted->pattern))
			err = tell_all(symbols, i, &shown, wanted);
	}
	return err;
}

static int refuse(struct tprof_error *error, int err, const char *path)
{
	if (err == ENOEXEC)
		error_set(error, err, "%s: not an ELF object", path);
	else if (err == ENOMEM)
		error_set(error, err, "%s: not enough memory for its functions, or there are more than %u", path,
			  ELF_SYMBOLS_MAX);
	else
		error_set(error, err, "%s: cannot be read: %s", path, strerror(err));
	if (err == ENOEXEC)
		error_hint(error, "a script has no functions of its own: list those of its interpreter");
	if (err == ENOENT)
		error_hint(error, "give the path of an object; ldd PROGRAM shows the paths of its libraries");
	return -err;
}

int tprof_function__each(const char *path, const char *pattern,
			 int (*fn)(void *ctx, const struct tprof_function *function), void *ctx,
			 struct tprof_error *error)
{
	struct debug_search search = { .root = -1 };
	const struct wanted wanted = { .pattern = pattern, .fn = fn, .ctx = ctx };
	struct elf_symbols *symbols;
	char *real;
	int fd, err;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return refuse(error, errno, path);
	/* Debug files are beside the real path of the object. */
	real = realpath(path, NULL);
	search.path = real;
	symbols = elf_symbols_open_all(fd, &search);
	err = symbols ? 0 : errno;
	free(real);
	close(fd);
	if (err)
		return refuse(error, err, path);
	err = tell_functions(symbols, &wanted);
	elf_symbols_close(symbols);
	return err;
}
