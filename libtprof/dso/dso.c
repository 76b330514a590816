// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Files that code was mapped from. Each identity is stored once, as long as it is mapped and for some time after:
 * short-lived programs are often started again.
 */
#include "dso.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "dso_file.h"
#include "dso_open.h"
#include "dso_sites.h"

/* Time and number of ages for which an unmapped dso is kept. */
#define IDLE_NS 20000000000ULL
#define IDLE_AGES 2

/* Limit for dsos_are_many(). Machines with thousands of different programs and libraries need some MiB. */
#define MANY_BYTES (64U << 20)

/* Number of processes through which a file is tried before it is given up. */
#define MAX_ATTEMPTS 16

enum kind {
	KIND_FILE,
	KIND_MEMFD,		/* a program that was run from a memfd, or JIT memory */
	KIND_ANONYMOUS,
	KIND_VDSO,
	KIND_SPECIAL,		/* memory of the kernel or a driver: has a name but no symbols */
};

struct dso {
	struct hash_node node;		/* key: id_key() */
	struct dsos *dsos;
	struct dso_id id;		/* owns its path, which has no " (deleted)" */
	const char *name;		/* points into the path, or a literal */
	unsigned int refs;
	uint64_t idle_ns;		/* since when it has no references; 0: not noticed yet, or it has some */
	uint32_t idle_age;		/* the same as an age */
	uint64_t serial;		/* unique */
	enum kind kind;
	struct timespec seen;
	unsigned int nr_attempts;
	struct dso_file *file;		/* NULL: not found yet */
	bool is_no_elf;			/* the opened file is not an ELF file */
};

struct dsos {
	struct hash by_id;
	struct dso_files *files;
	struct dso_sites sites;
	struct clock_offsets clocks;
	struct broker *broker;		/* NULL: opens other processes' files directly */
	uint64_t nr_added;
	size_t bytes, many_bytes;
	uint32_t age;
	uint64_t now_ns;		/* time of that age */
};

struct dsos *dsos_new(const struct log *log)
{
	struct dsos *dsos = calloc(1, sizeof(*dsos));

	if (!dsos)
		return NULL;
	clock_offsets(&dsos->clocks);
	dsos->many_bytes = MANY_BYTES;
	dsos->files = dso_files_new(log);
	if (!dsos->files) {
		dsos_free(dsos);
		return NULL;
	}
	return dsos;
}

static size_t own_bytes(const struct dso *dso)
{
	return sizeof(*dso) + strlen(dso->id.path);
}

static bool free_dso(void *ctx, struct hash_node *node)
{
	struct dso *dso = (struct dso *)node;

	(void)ctx;
	dso->dsos->bytes -= own_bytes(dso);
	dso_file_put(dso->file);
	free((char *)dso->id.path);
	free(dso);
	return false;
}

void dsos_free(struct dsos *dsos)
{
	if (!dsos)
		return;
	hash_filter(&dsos->by_id, free_dso, NULL);
	hash_fini(&dsos->by_id);
	dso_sites_fini(&dsos->sites);
	dso_files_free(dsos->files);
	free(dsos);
}

struct dso *dso_ref(struct dso *dso)
{
	dso->refs++;
	dso->idle_ns = 0;
	return dso;
}

void dso_put(struct dso *dso)
{
	if (dso)
		dso->refs--;
}

size_t dsos_nr(const struct dsos *dsos)
{
	return dsos->by_id.nr;
}

bool dsos_are_many(const struct dsos *dsos)
{
	return dsos->bytes + dso_files_bytes(dsos->files) > dsos->many_bytes;
}

void dsos_set_max_bytes(struct dsos *dsos, size_t many_bytes, size_t names_bytes)
{
	dsos->many_bytes = many_bytes;
	dso_files_set_max_bytes(dsos->files, names_bytes);
}

void dsos_ask(struct dsos *dsos, struct debug_server *server)
{
	dso_files_ask(dsos->files, server);
}

void dsos_use_broker(struct dsos *dsos, struct broker *broker)
{
	dsos->broker = broker;
	dso_files_use_broker(dsos->files, broker);
}

struct broker *dsos_broker(const struct dsos *dsos)
{
	return dsos->broker;
}

void dsos_want_lines(struct dsos *dsos)
{
	dso_files_want_lines(dsos->files);
}

/* Frees a dso that was not mapped for a while. If there are many dsos, frees it as soon as nothing can refer to it. */
static bool keep_dso(void *ctx, struct hash_node *node)
{
	const struct dsos *dsos = ctx;
	struct dso *dso = (struct dso *)node;

	if (dso->refs)
		return true;
	if (!dso->idle_ns) {
		dso->idle_ns = dsos->now_ns ? dsos->now_ns : 1;
		dso->idle_age = dsos->age;
		return true;
	}
	if (dsos->age - dso->idle_age < IDLE_AGES || (dso->idle_ns + IDLE_NS > dsos->now_ns && !dsos_are_many(dsos)))
		return true;
	return free_dso(NULL, node);
}

void dsos_age(struct dsos *dsos, uint64_t now_ns)
{
	dsos->age++;
	dsos->now_ns = now_ns;
	hash_filter(&dsos->by_id, keep_dso, dsos);
	dso_files_age(dsos->files, now_ns);
}

static bool starts_with(const char *string, const char *prefix)
{
	return !strncmp(string, prefix, strlen(prefix));
}

static enum kind path_kind(const char *path)
{
	static const char *const anonymous[] = {
		"//anon", "[heap]", "[stack", "[anon", "/dev/zero", "/SYSV", "/anon_hugepage", "anon_inode:",
	};

	if (!path[0])
		return KIND_ANONYMOUS;
	for (size_t i = 0; i < sizeof(anonymous) / sizeof(*anonymous); i++) {
		if (starts_with(path, anonymous[i]))
			return KIND_ANONYMOUS;
	}
	if (starts_with(path, "/memfd:"))
		return KIND_MEMFD;
	if (!strcmp(path, "[vdso]"))
		return KIND_VDSO;
	/* Does not open devices: opening one can have side effects. */
	if (path[0] != '/' || (starts_with(path, "/dev/") && !starts_with(path, "/dev/shm/")))
		return KIND_SPECIAL;
	return KIND_FILE;
}

/* Names of memfds are free text and may contain slashes. Paths in brackets come from the kernel. */
static const char *path_name(const char *path, enum kind kind)
{
	const char *slash = strrchr(path, '/');

	if (kind == KIND_ANONYMOUS)
		return "[jit]";
	if (kind == KIND_MEMFD)
		return path + 1;
	if (path[0] == '[' || !slash)
		return path;
	return slash + 1;
}

/*
 * The path of an identity without the kernel's " (deleted)" suffix, unless the file really has that name. 32-bit
 * programs have a different vdso. @clean has a capacity of PATH_MAX.
 */
static const char *clean_path(const struct dsos *dsos, const struct dso_id *id, pid_t pid, uint64_t end, char *clean)
{
	static const char deleted[] = " (deleted)";
	const size_t suffix = sizeof(deleted) - 1;
	const char *path = id->path ? id->path : "";
	size_t length = strlen(path);

	if (sizeof(void *) == 8 && end && end <= UINT32_MAX && !strcmp(path, "[vdso]"))
		return "[vdso32]";
	if (length < suffix || length - suffix >= PATH_MAX || strcmp(path + length - suffix, deleted) ||
	    (path_kind(path) == KIND_FILE && dso_is_at_path(dsos->broker, id, pid)))
		return path;
	memcpy(clean, path, length - suffix);
	clean[length - suffix] = '\0';
	return clean;
}

static uint64_t id_key(const struct dso_id *id)
{
	return hash_text(id->path) ^ id->ino * 31 ^ (uint64_t)id->maj << 32 ^ (uint64_t)id->min << 44;
}

static bool same_id(const struct dso_id *a, const struct dso_id *b)
{
	return !strcmp(a->path, b->path) && a->maj == b->maj && a->min == b->min && a->ino == b->ino &&
	       a->generation == b->generation && a->has_generation == b->has_generation;
}

/*
 * Converts to CLOCK_REALTIME, which file times use. Reads that clock first, so that the result is rather too early than
 * too late.
 */
static struct timespec real_time(const struct dsos *dsos, uint64_t time_ns)
{
	struct timespec now;
	uint64_t real_ns, now_ns, ago_ns;

	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = clock_own_ns() - (uint64_t)dsos->clocks.monotonic_ns;
	real_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	ago_ns = time_ns < now_ns ? now_ns - time_ns : 0;
	real_ns = ago_ns < real_ns ? real_ns - ago_ns : 0;
	return (struct timespec){ .tv_sec = (time_t)(real_ns / 1000000000), .tv_nsec = (long)(real_ns % 1000000000) };
}

/*
 * Is there a different file under the same identity by now (compile, run, compile again)? While a file is open, its
 * inode number is not reused, but it may be modified. If there is no generation, also checks its path in the root of a
 * process that had it mapped at @time.
 */
static bool was_replaced(const struct dso *dso, pid_t pid, const struct timespec *time)
{
	struct stat st;

	if (pid <= 0 || dso->kind != KIND_FILE)
		return false;
	if (dso->file && dso_file_stat(dso->file, &st)) {
		if (!dso_file_is(dso->file, &st))
			return true;
		if (dso->id.generation)
			return false;
	}
	if (dso_stat_at_path(dso->dsos->broker, dso->id.path, pid, &st) || st.st_ino != dso->id.ino)
		return false;
	if (dso->file)
		return !dso_file_is(dso->file, &st);
	/* A change after both times says nothing about either. */
	return dso_is_later(&st.st_ctim, &dso->seen) && !dso_is_later(&st.st_ctim, time);
}

static struct dso *find(const struct dsos *dsos, const struct dso_id *id)
{
	struct hash_node *node = hash_find(&dsos->by_id, id_key(id));

	while (node && !same_id(&((struct dso *)node)->id, id))
		node = hash_find_next(node);
	return (struct dso *)node;
}

/* Adds a dso; lookups of its identity find it first from now on. */
static struct dso *add(struct dsos *dsos, const struct dso_id *id, const struct timespec *time)
{
	struct dso *dso = calloc(1, sizeof(*dso));

	if (!dso)
		return NULL;
	dso->dsos = dsos;
	dso->id = *id;
	dso->id.path = strdup(id->path);
	if (!dso->id.path || hash_add(&dsos->by_id, &dso->node, id_key(id))) {
		free((char *)dso->id.path);
		free(dso);
		return NULL;
	}
	dso->kind = path_kind(dso->id.path);
	dso->name = path_name(dso->id.path, dso->kind);
	dso->seen = *time;
	dso->serial = ++dsos->nr_added;
	dsos->bytes += own_bytes(dso);
	return dso;
}

struct dso *dsos_get(struct dsos *dsos, const struct dso_id *id, pid_t pid, uint64_t start, uint64_t end,
		     uint64_t time_ns)
{
	char path[PATH_MAX];
	struct dso_id clean = { .path = clean_path(dsos, id, pid, end, path) };
	struct timespec time = real_time(dsos, time_ns);
	struct dso *dso;

	if (path_kind(clean.path) == KIND_FILE || path_kind(clean.path) == KIND_MEMFD) {
		clean.maj = id->maj;
		clean.min = id->min;
		clean.ino = id->ino;
		clean.generation = id->generation;
		clean.has_generation = id->has_generation;
	}
	dso = find(dsos, &clean);
	if (dso && !was_replaced(dso, pid, &time)) {
		dso->idle_ns = 0;
		return dso;
	}
	dso = add(dsos, &clean, &time);
	if (dso && pid > 0)
		dso_open_late(dso, pid, start, end);
	return dso;
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, sizeof(magic));
}

/* Takes ownership of the reference. */
static void set_file(struct dso *dso, struct dso_file *file)
{
	dso_file_put(dso->file);
	dso->file = file;
}

void dso_open_late(struct dso *dso, pid_t pid, uint64_t start, uint64_t end)
{
	int fd;

	if ((dso->kind != KIND_FILE && dso->kind != KIND_MEMFD) || dso->nr_attempts >= MAX_ATTEMPTS ||
	    (dso->file && dso_file_is_usable(dso->file)))
		return;
	dso->nr_attempts++;
	fd = dso_open_mapped(dso->dsos->broker, &dso->id, &dso->seen, pid, start, end);
	if (fd < 0)
		return;
	dso->is_no_elf = !is_elf(fd);
	if (dso->kind == KIND_MEMFD && dso->is_no_elf) {
		/* JIT memory: an open file would only use up a file descriptor. */
		dso->nr_attempts = MAX_ATTEMPTS;
		close(fd);
		return;
	}
	set_file(dso, dso_files_add(dso->dsos->files, fd, dso->id.path, pid));
}

bool dso_is_same(const struct dso *a, const struct dso *b)
{
	return a == b || (a->file && a->file == b->file);
}

const char *dso_path(const struct dso *dso)
{
	return dso->id.path;
}

const char *dso_name(const struct dso *dso)
{
	return dso->name;
}

bool dso_is_file(const struct dso *dso)
{
	return dso->kind == KIND_FILE || (dso->kind == KIND_MEMFD && dso->file);
}

const char *dso_build_id(struct dso *dso)
{
	return dso_is_file(dso) && dso->file ? dso_file_build_id(dso->file) : "";
}

bool dso_is_anonymous(const struct dso *dso)
{
	return dso->kind == KIND_ANONYMOUS || (dso->kind == KIND_MEMFD && !dso->file);
}

bool dso_may_be_jit(const struct dso *dso)
{
	return dso_is_anonymous(dso) || (dso->kind == KIND_FILE && dso->is_no_elf);
}

/* The vdso is made available as a file on first use. */
static struct dso_file *file_of(struct dso *dso)
{
	if (dso->kind == KIND_VDSO && !dso->file && dso->nr_attempts++ < 1) {
		int fd = dso_open_vdso();

		if (fd >= 0)
			set_file(dso, dso_files_add(dso->dsos->files, fd, dso->id.path, 0));
	}
	return dso->file;
}

bool dso_symbol(struct dso *dso, uint64_t offset, const char **name, uint64_t *delta)
{
	struct dso_file *file = file_of(dso);

	*delta = 0;
	return file && dso_file_symbol(file, offset, name, delta);
}

bool dso_has_code(struct dso *dso, uint64_t offset, uint64_t size)
{
	return !dso->file || dso_file_has_code(dso->file, offset, size);
}

/* Results are cached, as the file may be closed later. Returns NULL if the instructions cannot be read. */
static const struct dso_site *find_site(struct dso *dso, uint64_t offset, enum call_site_machine machine)
{
	struct dso_sites *sites = &dso->dsos->sites;
	const struct dso_site *site = dso_sites_find(sites, dso->serial, offset);
	struct dso_file *file = site ? NULL : file_of(dso);

	return file ? dso_sites_read(sites, dso->serial, offset, file, machine) : site;
}

enum call_site dso_call_site(struct dso *dso, uint64_t offset, enum call_site_machine machine)
{
	const struct dso_site *site = find_site(dso, offset, machine);

	return site ? site->site : CALL_SITE_UNKNOWN;
}

bool dso_in_signal_return(struct dso *dso, uint64_t offset, enum call_site_machine machine)
{
	const struct dso_site *site = find_site(dso, offset, machine);

	return site && site->in_signal_return;
}

bool dso_has_bytes(struct dso *dso, uint64_t distance, const uint8_t *bytes, size_t size, uint64_t *offset)
{
	return dso->kind == KIND_FILE && dso->file && dso_file_has_bytes(dso->file, distance, bytes, size, offset);
}

struct elf_cfi *dso_cfi(struct dso *dso)
{
	struct dso_file *file = file_of(dso);

	return file ? dso_file_cfi(file) : NULL;
}

size_t dso_places(struct dso *dso, uint64_t offset, const struct elf_place **places)
{
	return dso->file ? dso_file_places(dso->file, offset, places) : 0;
}
