// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The functions of opened files: read on demand, within a memory limit. */
#include "dso_file_table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* Logs unreadable debug data, once per file, even if the file is added again. */
static void tell(struct dso_file *file, const char *why)
{
	struct dso_files *files = file->files;
	uint64_t which = (uint64_t)file->ino * 31 ^ (uint64_t)file->dev << 40 ^ (uint64_t)file->mtime.tv_nsec << 20;

	for (size_t i = 0; i < files->nr_told && i < DSO_FILES_TOLD; i++) {
		if (files->told[i] == which)
			return;
	}
	files->told[files->nr_told++ % DSO_FILES_TOLD] = which;
	log_warn(files->log, "%s: source lines and inlined functions are missing: %s", file->path, why);
}

static void tell_unread(struct dso_file *file, int err)
{
	switch (err) {
	case ENOEXEC:
		tell(file, "its debug information is damaged");
		break;
	case ENOLINK:
		tell(file, "its supplementary debug file (dwz) cannot be found");
		break;
	case E2BIG:
		tell(file, "its debug information would take more than half of the memory");
		break;
	default:
		log_debug(file->files->log, "%s: no source lines: %s", file->path, strerror(err));
	}
}

static void read_lines(struct dso_file *file, const struct debug_search *search)
{
	int err = dso_names_add_lines(file->names, file->fd, search);

	if (err)
		tell_unread(file, -err);
	else if (dso_file_is_overwritten(file))
		dso_names_drop_lines(file->names);
}

void dso_file_forget_names(struct dso_file *file)
{
	struct dso_files *files = file->files;

	dso_names_put_away(&files->away, file->names);
	files->nr_open--;
	files->names_bytes -= file->names_bytes;
	file->names_bytes = 0;
	file->names = NULL;
	file->is_read = false;
}

/* Frees the least recently used tables, and prefers files that can be read again. */
static void evict_names(struct dso_files *files, const struct dso_file *except)
{
	while (files->names_bytes > files->max_names_bytes) {
		struct dso_file *idle = NULL;

		for (struct dso_file *file = files->oldest; file; file = file->newer) {
			if (!file->names || file == except)
				continue;
			if (!idle || (file->fd >= 0) > (idle->fd >= 0) ||
			    ((file->fd >= 0) == (idle->fd >= 0) && file->names_used < idle->names_used))
				idle = file;
		}
		if (!idle)
			return;
		dso_file_forget_names(idle);
	}
}

/* Updates the memory use, which grows as names are looked up. */
static void update_names_bytes(struct dso_file *file)
{
	struct dso_files *files = file->files;
	size_t bytes = dso_names_bytes(file->names);

	files->names_bytes += bytes - file->names_bytes;
	file->names_bytes = bytes;
	evict_names(files, file);
}

static void read_names(struct dso_file *file)
{
	const struct debug_search search = {
		.path = file->root ? dso_root_inside(file->root, file->path) : file->path,
		.root = file->root ? file->root->fd : -1,
		.server = file->files->server,
	};

	if (dso_file_is_overwritten(file)) {
		log_info(file->files->log, "%s: overwritten after it was mapped, so its functions have no names",
			 file->path);
	} else {
		file->names = dso_names_open(file->fd, &search);
		if (!file->names)
			log_debug(file->files->log, "%s: no symbols: %s", file->path, strerror(errno));
		else if (file->files->want_lines)
			read_lines(file, &search);
	}
	file->is_read = true;
	/*
	 * The file stays open for reading it again, if the limit permits that besides the file descriptor of the names.
	 */
	if (!file->names || file->files->nr_open >= file->files->max_open)
		dso_file_close(file);
	if (!file->names)
		return;
	file->files->nr_open++;
	log_debug(file->files->log, "%s: %zu functions", file->path, dso_names_nr(file->names));
}

bool dso_file_symbol(struct dso_file *file, uint64_t offset, const char **name, uint64_t *delta)
{
	bool found;

	*delta = 0;
	if (!file->is_read && file->fd >= 0)
		read_names(file);
	if (!file->names)
		return false;
	file->used_ns = clock_own_ns();
	file->names_used = ++file->files->names_asked;
	found = dso_names_find(file->names, offset, name, delta);
	update_names_bytes(file);
	return found;
}

size_t dso_file_places(struct dso_file *file, uint64_t offset, const struct elf_place **places)
{
	char why[PATH_MAX + 64];
	const char *lost;
	size_t nr;

	if (!file->is_read && file->fd >= 0)
		read_names(file);
	if (!file->names)
		return 0;
	nr = dso_names_places(file->names, offset, places);
	lost = dso_names_lost(file->names);
	if (lost) {
		snprintf(why, sizeof(why), "%s cannot be read and is not in a package (.dwp)", lost);
		tell(file, why);
	}
	return nr;
}
