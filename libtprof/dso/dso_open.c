// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Finds the mapped file and verifies its identity.
 *
 * /proc/PID/map_files refers to the mapped inode itself, even if it is deleted or in a container. But the process may
 * have called exec or exited since, so the result is verified too.
 */
#include "dso_open.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dso_inode.h"
#include "rights/foreign.h"

#define MAX_VDSO_BYTES 65536

bool dso_is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Deletion changes ctime but not mtime, and mtime can be set to any value. Therefore both must be later. */
static bool is_written_after(const struct stat *st, const struct timespec *seen)
{
	return dso_is_later(&st->st_mtim, seen) && dso_is_later(&st->st_ctim, seen);
}

static bool is_mapped_file(int fd, const struct stat *st, const struct dso_id *id, const struct timespec *seen)
{
	return !is_written_after(st, seen) && dso_inode_is(fd, st, id);
}

static bool is_file_at_path(int fd, const struct stat *st, const struct dso_id *id,
			    const struct timespec *seen)
{
	return !dso_is_later(&st->st_ctim, seen) && dso_inode_is(fd, st, id);
}

/* Closes @fd if it is not a regular file. */
static int keep_regular(int fd, struct stat *st)
{
	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return -1;
}

static int open_map_file(struct broker *broker, const struct dso_id *id, const struct timespec *seen, pid_t pid,
			 uint64_t start, uint64_t end)
{
	struct stat st;
	int fd = keep_regular(foreign_open_map_file(broker, pid, start, end), &st);

	if (fd < 0 || is_mapped_file(fd, &st, id, seen))
		return fd;
	close(fd);
	return -1;
}

/* Returns AT_FDCWD for our own root, -1 if it is not accessible. */
static int open_root(struct broker *broker, pid_t pid)
{
	int root = pid > 0 ? foreign_open(broker, BROKER_ROOT, pid) : AT_FDCWD;

	return pid > 0 && root < 0 ? -1 : root;
}

static void close_root(int root)
{
	if (root >= 0)
		close(root);
}

/* Strips leading slashes: an absolute path would start at our own root. */
static const char *below(int root, const char *path)
{
	return root == AT_FDCWD ? path : path + strspn(path, "/");
}

static int open_below(int root, const char *path, struct stat *st)
{
	return keep_regular(openat(root, below(root, path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), st);
}

int dso_stat_at_path(struct broker *broker, const char *path, pid_t pid, struct stat *st)
{
	int root = open_root(broker, pid), err;

	if (root == -1)
		return -1;
	err = fstatat(root, below(root, path), st, 0);
	close_root(root);
	return err;
}

static bool is_at(struct broker *broker, const struct dso_id *id, pid_t pid)
{
	int root = open_root(broker, pid), fd;
	struct stat st;
	bool is;

	if (root == -1)
		return false;
	fd = open_below(root, id->path, &st);
	close_root(root);
	if (fd < 0)
		return false;
	is = dso_inode_is(fd, &st, id);
	close(fd);
	return is;
}

bool dso_is_at_path(struct broker *broker, const struct dso_id *id, pid_t pid)
{
	return id->path[0] == '/' && ((pid > 0 && is_at(broker, id, pid)) || is_at(broker, id, 0));
}

static int open_path(struct broker *broker, const struct dso_id *id, pid_t pid, const struct timespec *seen)
{
	int root = open_root(broker, pid), fd;
	struct stat st;

	if (root == -1)
		return -1;
	fd = id->path[0] == '/' ? open_below(root, id->path, &st) : -1;
	close_root(root);
	if (fd < 0 || is_file_at_path(fd, &st, id, seen))
		return fd;
	close(fd);
	return -1;
}

int dso_open_mapped(struct broker *broker, const struct dso_id *id, const struct timespec *seen, pid_t pid,
		    uint64_t start, uint64_t end)
{
	int fd = -1;

	if (pid > 0) {
		fd = open_map_file(broker, id, seen, pid, start, end);
		if (fd < 0)
			fd = open_path(broker, id, pid, seen);
	}
	if (fd < 0)
		fd = open_path(broker, id, 0, seen);
	return fd < 0 ? -ENOENT : fd;
}

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr native_header;
#else
typedef Elf32_Ehdr native_header;
#endif

int dso_open_vdso(void)
{
	const native_header *header = (const native_header *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int fd;

	if (!header)
		return -ENOENT;
	/* The section headers are the last part of the vdso. */
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	if (size > MAX_VDSO_BYTES)
		return -E2BIG;
	fd = memfd_create("tprof-vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, header, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -EIO;
}
