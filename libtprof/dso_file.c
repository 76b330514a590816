// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Opened files with code, each once, and their symbols. */
#include "dso_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "demangle.h"
#include "dso_lines.h"
#include "dso_root.h"
#include "elf_build_id.h"
#include "elf_file.h"
#include "elf_symbols.h"
#include "hash.h"

/* If the limit cannot be told. */
#define DEFAULT_MAX_OPEN 512

/*
 * What nobody has asked for so long is forgotten; reading them again takes milliseconds. A machine on
 * which programs come and go would otherwise fill the memory with what they had.
 */
#define IDLE_NS 20000000000ULL

/* What all of them together may take to be unwound by. A large browser's is 20 MiB, that of the C library 1 MiB. */
#define MAX_CFI_BYTES (64U << 20)

struct dso_file {
	struct hash_node node;		/* by inode number */
	struct dso_files *files;
	struct dso_file *newer;		/* in order of opening */
	const char *path;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	const struct dso_root *root;	/* that its processes have; NULL: ours */
	int fd;				/* -1: closed to make room, or because it has no symbols */
	bool is_read;
	const char *build_id;		/* NULL: not looked for yet */
	struct elf_segment *code;	/* NULL: not looked for yet, or no ELF file */
	size_t nr_code;
	uint64_t first_vaddr;		/* of the file's first byte, if is_loaded */
	bool is_loaded;
	uint64_t used_ns;		/* when a symbol was last asked for */
	struct elf_symbols *symbols;	/* NULL if it has none */
	bool told;			/* that debug data cannot be read */
	struct dso_lines *lines;	/* NULL if it has none, or nobody wants them */
	const char **names;		/* of symbols, where they were asked for; untouched pages cost nothing */
	bool cfi_is_read;
	struct elf_cfi *cfi;		/* NULL if it has none */
	uint64_t cfi_used;		/* a number that grows: when it was last asked for */
	uint64_t cfi_aged;		/* the same, when it was last looked at, */
	uint64_t cfi_idle_ns;		/* and since when it has not changed */
};

struct dso_files {
	struct hash by_inode;
	struct dso_file *oldest, *newest;
	struct intern *strings;
	const struct log *log;
	struct dso_roots roots;
	size_t nr_open, max_open;
	bool want_lines;
	size_t cfi_bytes;
	uint64_t cfi_asked;		/* how often */
	struct debug_server *server;
	struct broker *broker;		/* may be NULL */
};

struct dso_files *dso_files_new(struct intern *strings, const struct log *log)
{
	struct dso_files *files = calloc(1, sizeof(*files));
	struct rlimit limit;

	if (!files)
		return NULL;
	files->strings = strings;
	files->log = log;
	dso_roots_init(&files->roots);
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
		dso_lines_close(file->lines);
		elf_cfi_close(file->cfi);
		free(file->names);
		free(file->code);
		free(file);
	}
	hash_fini(&files->by_inode);
	dso_roots_fini(&files->roots);
	free(files);
}

void dso_files_use_broker(struct dso_files *files, struct broker *broker)
{
	files->broker = broker;
}

void dso_files_ask(struct dso_files *files, struct debug_server *server)
{
	files->server = server;
}

void dso_files_want_lines(struct dso_files *files)
{
	files->want_lines = true;
}

bool dso_file_stat(const struct dso_file *file, struct stat *st)
{
	return file->fd >= 0 && !fstat(file->fd, st);
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

struct dso_file *dso_files_add(struct dso_files *files, int fd, const char *path, pid_t pid)
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
	file->root = dso_roots_get(&files->roots, files->broker, pid);
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

	return !dso_file_stat(file, &st) || !dso_file_is(file, &st);
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

static void read_code(struct dso_file *file)
{
	struct elf_file elf;

	if (is_overwritten(file) || elf_file_open(&elf, file->fd))
		return;
	file->code = elf.segments;
	file->nr_code = elf.nr_segments;
	file->is_loaded = elf_segments_vaddr(elf.loads, elf.nr_loads, 0, &file->first_vaddr);
	elf.segments = NULL;
	elf_file_close(&elf);
}

bool dso_file_has_code(struct dso_file *file, uint64_t offset, uint64_t size)
{
	if (!file->code && file->fd >= 0)
		read_code(file);
	return !file->code || elf_segments_overlap(file->code, file->nr_code, offset, size);
}

bool dso_file_read(const struct dso_file *file, uint64_t offset, void *to, size_t size)
{
	return file->fd >= 0 && offset <= INT64_MAX - size && !is_overwritten(file) &&
	       pread(file->fd, to, size, (off_t)offset) == (ssize_t)size;
}

bool dso_file_has_bytes(struct dso_file *file, uint64_t distance, const uint8_t *bytes, size_t size, uint64_t *offset)
{
	uint8_t own[4096];
	uint64_t room;

	if (file->fd < 0 || size > sizeof(own))
		return false;
	if (!file->code)
		read_code(file);
	if (!file->code || !file->is_loaded || is_overwritten(file) ||
	    !elf_segments_offset(file->code, file->nr_code, file->first_vaddr + distance, offset, &room) ||
	    *offset > INT64_MAX)
		return false;
	if (room < size)
		size = room;
	return pread(file->fd, own, size, (off_t)*offset) == (ssize_t)size && !memcmp(own, bytes, size);
}

/* Debug data that are there, or were, but cannot be read: once for each file. */
static void tell(struct dso_file *file, const char *why)
{
	if (!file->told)
		log_warn(file->files->log, "%s: no lines or inlined functions from its debug data: %s",
			 file->path, why);
	file->told = true;
}

static void read_lines(struct dso_file *file, const struct debug_search *search)
{
	file->lines = dso_lines_open(file->fd, search, file->files->strings);
	if (!file->lines && errno == EPROTONOSUPPORT) {
		tell(file, "packed by zstd, which this libelf does not know");
	} else if (!file->lines) {
		log_debug(file->files->log, "%s: no source lines: %s", file->path, strerror(errno));
	} else if (is_overwritten(file)) {
		dso_lines_close(file->lines);
		file->lines = NULL;
	}
}

static void read_symbols(struct dso_file *file)
{
	const struct debug_search search = {
		.path = file->root ? dso_root_inside(file->root, file->path) : file->path,
		.root = file->root ? file->root->fd : -1,
		.server = file->files->server,
	};

	if (is_overwritten(file)) {
		log_info(file->files->log, "%s: overwritten since it was mapped, its functions have no names",
			 file->path);
	} else {
		file->symbols = elf_symbols_open(file->fd, &search);
		if (!file->symbols)
			log_debug(file->files->log, "%s: no symbols: %s", file->path, strerror(errno));
		if (file->files->want_lines)
			read_lines(file, &search);
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

	*delta = 0;
	if (!file->is_read && file->fd >= 0)
		read_symbols(file);
	if (!file->symbols || !file->names)
		return false;
	file->used_ns = clock_own_ns();
	index = elf_symbols_find(file->symbols, offset, delta);
	if (index < 0)
		return false;
	if (!file->names[index])
		file->names[index] = read_name(file, index);
	*name = file->names[index];
	return *name != NULL;
}

size_t dso_file_places(struct dso_file *file, uint64_t offset, const struct elf_place **places)
{
	char why[PATH_MAX + 64];
	const char *lost;
	size_t nr;

	if (!file->is_read && file->fd >= 0)
		read_symbols(file);
	if (!file->lines)
		return 0;
	nr = dso_lines_find(file->lines, offset, places);
	lost = dso_lines_lost(file->lines);
	if (lost && !file->told) {
		snprintf(why, sizeof(why), "%s cannot be read (packages of them, .dwp, are not)", lost);
		tell(file, why);
	}
	return nr;
}

static void forget_symbols(struct dso_file *file)
{
	dso_lines_close(file->lines);
	file->lines = NULL;
	elf_symbols_close(file->symbols);
	file->files->nr_open--;
	free(file->names);
	file->symbols = NULL;
	file->names = NULL;
	file->is_read = false;
}

static void forget_cfi(struct dso_file *file)
{
	file->files->cfi_bytes -= elf_cfi_bytes(file->cfi);
	elf_cfi_close(file->cfi);
	file->cfi = NULL;
	file->cfi_is_read = false;
}

/* Only files that can be read again; the program that is unwound asks for its own all the time. */
static void make_room_for_cfi(struct dso_files *files, size_t bytes)
{
	while (files->cfi_bytes + bytes > MAX_CFI_BYTES) {
		struct dso_file *idle = NULL;

		for (struct dso_file *file = files->oldest; file; file = file->newer) {
			if (file->cfi && file->fd >= 0 && (!idle || file->cfi_used < idle->cfi_used))
				idle = file;
		}
		if (!idle)
			return;
		forget_cfi(idle);
	}
}

static void read_cfi(struct dso_file *file)
{
	const struct debug_search search = { .path = file->path, .root = -1 };
	struct dso_files *files = file->files;
	struct elf_cfi *cfi = NULL;

	file->cfi_is_read = true;
	errno = ESTALE;
	if (!is_overwritten(file))
		cfi = elf_cfi_open(file->fd, &search, MAX_CFI_BYTES / 8 * 3);
	if (!cfi) {
		log_debug(files->log, "%s: cannot be unwound: %s", file->path, strerror(errno));
		return;
	}
	make_room_for_cfi(files, elf_cfi_bytes(cfi));
	if (files->cfi_bytes + elf_cfi_bytes(cfi) > MAX_CFI_BYTES) {
		log_info(files->log, "%s: no room for what it is unwound by", file->path);
		elf_cfi_close(cfi);
		return;
	}
	files->cfi_bytes += elf_cfi_bytes(cfi);
	file->cfi = cfi;
}

struct elf_cfi *dso_file_cfi(struct dso_file *file)
{
	if (!file->cfi_is_read && file->fd >= 0)
		read_cfi(file);
	file->cfi_used = ++file->files->cfi_asked;
	return file->cfi;
}

static bool is_idle(struct dso_file *file, uint64_t now_ns)
{
	if (file->cfi_aged != file->cfi_used) {
		file->cfi_aged = file->cfi_used;
		file->cfi_idle_ns = now_ns;
	}
	return file->cfi_idle_ns + IDLE_NS < now_ns;
}

void dso_files_age(struct dso_files *files, uint64_t now_ns)
{
	for (struct dso_file *file = files->oldest; file; file = file->newer) {
		if (file->symbols && file->fd >= 0 && file->used_ns + IDLE_NS < now_ns)
			forget_symbols(file);
		if (file->cfi && file->fd >= 0 && is_idle(file, now_ns))
			forget_cfi(file);
	}
}
