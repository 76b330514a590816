// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Opened files with code, each stored once while dsos refer to it. Data read from a file is kept while it is in use. */
#include "dso_file_table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "elf/elf_build_id.h"

/* Used if the limit is unknown. */
#define DEFAULT_MAX_OPEN 512

/* With a lower limit, a session needs more descriptors for itself than it leaves to files: about 40 with two CPUs. */
#define LOW_LIMIT 256

/* Memory limit for the CFI of all files. A large browser needs 20 MiB, the C library 1 MiB. */
#define MAX_CFI_BYTES (64U << 20)

struct dso_files *dso_files_new(const struct log *log)
{
	struct dso_files *files = calloc(1, sizeof(*files));
	struct rlimit limit;

	if (!files)
		return NULL;
	files->log = log;
	files->max_names_bytes = DSO_FILES_NAMES_BYTES;
	dso_roots_init(&files->roots);
	files->max_open = DEFAULT_MAX_OPEN;
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		files->max_open = limit.rlim_cur / (limit.rlim_cur < LOW_LIMIT ? 4 : 2);
	return files;
}

static void free_file(struct dso_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	dso_names_free(file->names);
	elf_cfi_close(file->cfi);
	dso_root_put(file->root);
	free(file->build_id);
	free(file->path);
	free(file->code);
	free(file);
}

void dso_files_free(struct dso_files *files)
{
	struct dso_file *file, *newer;

	if (!files)
		return;
	for (file = files->oldest; file; file = newer) {
		newer = file->newer;
		free_file(file);
	}
	dso_names_free_away(&files->away);
	hash_fini(&files->by_inode);
	dso_roots_fini(&files->roots);
	free(files);
}

void dso_files_use_broker(struct dso_files *files, struct broker *broker)
{
	files->broker = broker;
}

void dso_files_set_max_bytes(struct dso_files *files, size_t max_bytes)
{
	files->max_names_bytes = max_bytes;
}

size_t dso_files_bytes(const struct dso_files *files)
{
	return files->bytes;
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

void dso_file_close(struct dso_file *file)
{
	close(file->fd);
	file->fd = -1;
	file->files->nr_open--;
}

/* Returns false if all permitted file descriptors are in use for names. */
static bool free_descriptor(struct dso_files *files)
{
	struct dso_file *unread = NULL;

	if (files->nr_open < files->max_open)
		return true;
	for (struct dso_file *file = files->oldest; file; file = file->newer) {
		if (file->fd < 0)
			continue;
		/* A file whose symbols are loaded can be closed; the symbols are then kept. */
		if (file->is_read) {
			dso_file_close(file);
			return true;
		}
		if (!unread)
			unread = file;
	}
	if (unread)
		dso_file_close(unread);
	return unread;
}

static size_t own_bytes(const struct dso_file *file)
{
	return sizeof(*file) + strlen(file->path) + file->nr_code * sizeof(*file->code);
}

static struct dso_file *new_file(struct dso_files *files, const struct stat *st, const char *path)
{
	struct dso_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	*file = (struct dso_file){
		.files = files,
		.path = strdup(path),
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.mtime = st->st_mtim,
		.fd = -1,
		.older = files->newest,
	};
	if (!file->path || hash_add(&files->by_inode, &file->node, st->st_ino)) {
		free(file->path);
		free(file);
		return NULL;
	}
	if (files->newest)
		files->newest->newer = file;
	else
		files->oldest = file;
	files->newest = file;
	files->bytes += own_bytes(file);
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
		file->refs++;
		return file;
	}
	if (!free_descriptor(files))
		goto err_close;
	if (!file)
		file = new_file(files, &st, path);
	if (!file) {
		err = ENOMEM;
		goto err_close;
	}
	file->fd = fd;
	file->refs++;
	dso_root_put(file->root);
	file->root = dso_roots_get(&files->roots, files->broker, pid);
	files->nr_open++;
	return file;

err_close:
	close(fd);
	errno = err;
	return NULL;
}

bool dso_file_is_overwritten(const struct dso_file *file)
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
		length = dso_file_is_overwritten(file) ? 0 : elf_build_id(file->fd, build_id);
		file->build_id = strdup(elf_build_id_text(text, build_id, length));
	}
	return file->build_id ? file->build_id : "";
}

static void read_code(struct dso_file *file)
{
	struct elf_file elf;

	if (dso_file_is_overwritten(file) || elf_file_open(&elf, file->fd))
		return;
	file->code = elf.segments;
	file->nr_code = elf.nr_segments;
	file->files->bytes += file->nr_code * sizeof(*file->code);
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
	return file->fd >= 0 && offset <= INT64_MAX - size && !dso_file_is_overwritten(file) &&
	       pread(file->fd, to, size, (off_t)offset) == (ssize_t)size;
}

bool dso_file_has_bytes(struct dso_file *file, uint64_t distance, const uint8_t *bytes, size_t size, uint64_t *offset)
{
	uint8_t own[4096];
	uint64_t left;

	if (file->fd < 0 || size > sizeof(own))
		return false;
	if (!file->code)
		read_code(file);
	if (!file->code || !file->is_loaded || dso_file_is_overwritten(file) ||
	    !elf_segments_offset(file->code, file->nr_code, file->first_vaddr + distance, offset, &left) ||
	    *offset > INT64_MAX)
		return false;
	if (left < size)
		size = left;
	return pread(file->fd, own, size, (off_t)*offset) == (ssize_t)size && !memcmp(own, bytes, size);
}

static void forget_cfi(struct dso_file *file)
{
	file->files->cfi_bytes -= elf_cfi_bytes(file->cfi);
	elf_cfi_close(file->cfi);
	file->cfi = NULL;
	file->cfi_is_read = false;
}

/*
 * Frees only the CFI of files that can be read again. The program that is being unwound uses its own CFI all the time.
 */
static void evict_cfi(struct dso_files *files, size_t bytes)
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
	if (!dso_file_is_overwritten(file))
		cfi = elf_cfi_open(file->fd, &search, MAX_CFI_BYTES / 8 * 3);
	if (!cfi) {
		log_debug(files->log, "%s: no unwind information: %s", file->path, strerror(errno));
		return;
	}
	evict_cfi(files, elf_cfi_bytes(cfi));
	if (files->cfi_bytes + elf_cfi_bytes(cfi) > MAX_CFI_BYTES) {
		log_info(files->log, "%s: its unwind information exceeds the memory limit", file->path);
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
	return file->cfi_idle_ns + DSO_FILE_IDLE_NS < now_ns;
}

void dso_file_put(struct dso_file *file)
{
	if (file)
		file->refs--;
}

static void drop_file(struct dso_file *file)
{
	struct dso_files *files = file->files;

	if (file->names)
		dso_file_forget_names(file);
	if (file->cfi)
		forget_cfi(file);
	if (file->fd >= 0)
		dso_file_close(file);
	if (file->older)
		file->older->newer = file->newer;
	else
		files->oldest = file->newer;
	if (file->newer)
		file->newer->older = file->older;
	else
		files->newest = file->older;
	files->bytes -= own_bytes(file);
	hash_remove(&files->by_inode, &file->node);
	free_file(file);
}

void dso_files_age(struct dso_files *files, uint64_t now_ns)
{
	struct dso_file *newer;

	for (struct dso_file *file = files->oldest; file; file = newer) {
		newer = file->newer;
		if (file->names && file->fd >= 0 && file->used_ns + DSO_FILE_IDLE_NS < now_ns)
			dso_file_forget_names(file);
		if (file->cfi && file->fd >= 0 && is_idle(file, now_ns))
			forget_cfi(file);
		if (!file->refs)
			drop_file(file);
	}
	dso_names_free_away(&files->away);
}
