// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Opened files with code, each once, and their symbols. */
#include "dso_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "demangle.h"
#include "elf_debug.h"
#include "elf_symbols.h"
#include "hash.h"

/* If the limit cannot be told. */
#define DEFAULT_MAX_OPEN 512

/*
 * Symbols that nobody has asked for so long are forgotten; reading them again takes milliseconds. A machine on
 * which programs come and go would otherwise fill the memory with what they had.
 */
#define IDLE_NS 20000000000ULL

struct dso_file {
	struct hash_node node;		/* by inode number */
	struct dso_files *files;
	struct dso_file *newer;		/* in order of opening */
	const char *path;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	int fd;				/* -1: closed to make room, or because it has no symbols */
	bool is_read;
	const char *build_id;		/* NULL: not looked for yet */
	uint64_t used_ns;		/* when a symbol was last asked for */
	struct elf_symbols *symbols;	/* NULL if it has none */
	const char **names;		/* of symbols, where they were asked for; untouched pages cost nothing */
};

struct dso_files {
	struct hash by_inode;
	struct dso_file *oldest, *newest;
	struct intern *strings;
	const struct log *log;
	size_t nr_open, max_open;
};

struct dso_files *dso_files_new(struct intern *strings, const struct log *log)
{
	struct dso_files *files = calloc(1, sizeof(*files));
	struct rlimit limit;

	if (!files)
		return NULL;
	files->strings = strings;
	files->log = log;
	files->max_open = DEFAULT_MAX_OPEN;
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		files->max_open = limit.rlim_cur / 2;
	return files;
}

void dso_files_free(struct dso_files *files)
{
	struct dso_file *file, *newer;

	if (!files)
		return;
	for (file = files->oldest; file; file = newer) {
		newer = file->newer;
		if (file->fd >= 0)
			close(file->fd);
		elf_symbols_close(file->symbols);
		free(file->names);
		free(file);
	}
	hash_fini(&files->by_inode);
	free(files);
}

bool dso_file_is(const struct dso_file *file, const struct stat *st)
{
	return file->ino == st->st_ino && file->dev == st->st_dev && file->size == st->st_size &&
	       file->mtime.tv_sec == st->st_mtim.tv_sec && file->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

bool dso_file_is_usable(const struct dso_file *file)
{
	return file->is_read || file->fd >= 0;
}

static struct dso_file *find(const struct dso_files *files, const struct stat *st)
{
	struct hash_node *node = hash_find(&files->by_inode, st->st_ino);

	while (node && !dso_file_is((struct dso_file *)node, st))
		node = hash_find_next(node);
	return (struct dso_file *)node;
}

static void close_file(struct dso_file *file)
{
	close(file->fd);
	file->fd = -1;
	file->files->nr_open--;
}

/* False if all descriptors that we may have are in use for names. */
static bool make_room(struct dso_files *files)
{
	struct dso_file *unread = NULL;

	if (files->nr_open < files->max_open)
		return true;
	for (struct dso_file *file = files->oldest; file; file = file->newer) {
		if (file->fd < 0)
			continue;
		/* A file that was read can do without: its symbols are kept then. */
		if (file->is_read) {
			close_file(file);
			return true;
		}
		if (!unread)
			unread = file;
	}
	if (unread)
		close_file(unread);
	return unread;
}

static struct dso_file *new_file(struct dso_files *files, const struct stat *st, const char *path)
{
	struct dso_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	*file = (struct dso_file){
		.files = files,
		.path = intern_string(files->strings, path),
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.mtime = st->st_mtim,
		.fd = -1,
	};
	if (!file->path || hash_add(&files->by_inode, &file->node, st->st_ino)) {
		free(file);
		return NULL;
	}
	if (files->newest)
		files->newest->newer = file;
	else
		files->oldest = file;
	files->newest = file;
	return file;
}

struct dso_file *dso_files_add(struct dso_files *files, int fd, const char *path)
{
	struct dso_file *file;
	struct stat st;
	int err = EMFILE;

	if (fstat(fd, &st)) {
		err = errno;
		goto err_close;
	}
	file = find(files, &st);
	if (file && dso_file_is_usable(file)) {
		close(fd);
		return file;
	}
	if (!make_room(files))
		goto err_close;
	if (!file)
		file = new_file(files, &st, path);
	if (!file) {
		err = ENOMEM;
		goto err_close;
	}
	file->fd = fd;
	files->nr_open++;
	return file;

err_close:
	close(fd);
	errno = err;
	return NULL;
}

static bool is_overwritten(const struct dso_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) || !dso_file_is(file, &st);
}

const char *dso_file_build_id(struct dso_file *file)
{
	uint8_t build_id[ELF_BUILD_ID_MAX];
	char text[ELF_BUILD_ID_TEXT];
	size_t length;

	if (!file->build_id && file->fd >= 0) {
		length = is_overwritten(file) ? 0 : elf_build_id(file->fd, build_id);
		file->build_id = intern_string(file->files->strings, elf_build_id_text(text, build_id, length));
	}
	return file->build_id ? file->build_id : "";
}

static void read_symbols(struct dso_file *file)
{
	if (is_overwritten(file)) {
		log_info(file->files->log, "%s: overwritten since it was mapped, its functions have no names",
			 file->path);
	} else {
		file->symbols = elf_symbols_open(file->fd, file->path);
		if (!file->symbols)
			log_debug(file->files->log, "%s: no symbols: %s", file->path, strerror(errno));
	}
	file->is_read = true;
	/* Kept for reading it again some day, if there is room beside the descriptor that the names need. */
	if (!file->symbols || file->files->nr_open >= file->files->max_open)
		close_file(file);
	if (!file->symbols)
		return;
	file->files->nr_open++;
	file->names = calloc(elf_symbols_nr(file->symbols) + 1, sizeof(*file->names));
	log_debug(file->files->log, "%s: %zu functions", file->path, elf_symbols_nr(file->symbols));
}

static const char *read_name(struct dso_file *file, size_t index)
{
	char symbol[ELF_NAME_MAX], name[2 * ELF_NAME_MAX];

	size_t length;
	bool is_plt;

	if (!elf_symbols_name(file->symbols, index, symbol, sizeof(symbol)))
		return NULL;
	length = strlen(symbol);
	is_plt = length > 4 && !strcmp(symbol + length - 4, "@plt");
	if (is_plt)
		symbol[length - 4] = '\0';
	if (!demangle(symbol, name, sizeof(name) - 4))
		strcpy(name, symbol);
	if (is_plt)
		strcat(name, "@plt");
	return intern_string(file->files->strings, name);
}

bool dso_file_symbol(struct dso_file *file, uint64_t offset, const char **name, uint64_t *delta)
{
	long index;

	if (!file->is_read && file->fd >= 0)
		read_symbols(file);
	if (!file->symbols || !file->names)
		return false;
	file->used_ns = clock_now_ns();
	index = elf_symbols_find(file->symbols, offset, delta);
	if (index < 0)
		return false;
	if (!file->names[index])
		file->names[index] = read_name(file, index);
	*name = file->names[index];
	return *name != NULL;
}

static void forget_symbols(struct dso_file *file)
{
	elf_symbols_close(file->symbols);
	file->files->nr_open--;
	free(file->names);
	file->symbols = NULL;
	file->names = NULL;
	file->is_read = false;
}

void dso_files_age(struct dso_files *files, uint64_t now_ns)
{
	for (struct dso_file *file = files->oldest; file; file = file->newer) {
		if (file->symbols && file->fd >= 0 && file->used_ns + IDLE_NS < now_ns)
			forget_symbols(file);
	}
}
