// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Finds a function of an object by its name. */
#include "function_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_file.h"

/* How well a name of a function matches; higher is better. */
enum match { NO_MATCH, OLD_VERSION, DISPLAYED, SYMBOL };

struct search {
	const char *name;
	enum match best;
	uint64_t address, size;
	unsigned int nr;			/* functions that match as well, at different addresses */
};

static enum match match(const char *name, const struct tprof_function *function)
{
	size_t length = strlen(name);

	if (strncmp(function->symbol, name, length) == 0) {
		const char *version = function->symbol + length;

		if (!version[0] || strncmp(version, "@@", 2) == 0)
			return SYMBOL;
		/* An entry of the procedure linkage table has the name of the function that it calls. */
		if (version[0] == '@' && strcmp(version, "@plt") != 0)
			return OLD_VERSION;
	}
	return strcmp(function->name, name) == 0 ? DISPLAYED : NO_MATCH;
}

static int consider(void *ctx, const struct tprof_function *function)
{
	struct search *search = ctx;
	enum match found = match(search->name, function);

	if (found == NO_MATCH || found < search->best)
		return 0;
	if (found > search->best)
		search->nr = 0;
	/* The names of a function come one after another. */
	if (!search->nr || function->address != search->address)
		search->nr++;
	search->best = found;
	search->address = function->address;
	search->size = function->size;
	return 0;
}

static bool find_offset(const char *path, uint64_t address, uint64_t *offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct elf_file file;
	bool found = false;
	uint64_t left;

	if (fd < 0)
		return false;
	if (elf_file_open(&file, fd) == 0) {
		found = elf_segments_offset(file.segments, file.nr_segments, address, offset, &left);
		elf_file_close(&file);
	}
	close(fd);
	return found;
}

int function_place_find(const char *path, const char *name, struct function_place *place, struct tprof_error *error)
{
	struct search search = { .name = name };
	int err = tprof_function__each(path, NULL, consider, &search, error);

	if (err)
		return err;
	if (search.nr > 1) {
		error_set(error, EINVAL, "%s: %u functions are called %s", path, search.nr, name);
		error_hint(error, "tprof list functions %s shows their symbols; an offset in the file also selects one",
			   path);
		return -EINVAL;
	}
	if (!search.nr || !find_offset(path, search.address, &place->offset)) {
		error_set(error, ENOENT, "%s: there is no function %s", path, name);
		error_hint(error, "tprof list functions %s '*%s*'", path, name);
		return -ENOENT;
	}
	place->size = search.size;
	return 0;
}
