// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Finds the file that was mapped, and proves that it is the one.
 *
 * /proc/PID/map_files leads to the mapped inode itself, deleted or not, in whatever container; but the
 * process may have exec'ed or exited since, so what is found there is checked too.
 */
#include "dso_open.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dso_inode.h"

#define MAX_VDSO_BYTES 65536

bool dso_is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/*
 * Deleting changes the status and not the content; the time of the content can be set to any. So both have to be later.
 */
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

static int open_regular(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return -1;
}

static int open_map_file(const struct dso_id *id, const struct timespec *seen, pid_t pid, uint64_t start, uint64_t end)
{
	char path[80];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	fd = open_regular(path, &st);
	if (fd < 0 || is_mapped_file(fd, &st, id, seen))
		return fd;
	close(fd);
	return -1;
}

static bool is_at(const struct dso_id *id, const char *root)
{
	char path[PATH_MAX + 32];
	struct stat st;
	bool is;
	int fd;

	if (snprintf(path, sizeof(path), "%s%s", root, id->path) >= (int)sizeof(path))
		return false;
	fd = open_regular(path, &st);
	if (fd < 0)
		return false;
	is = dso_inode_is(fd, &st, id);
	close(fd);
	return is;
}

bool dso_is_at_path(const struct dso_id *id, pid_t pid)
{
	char root[32];

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	return id->path[0] == '/' && ((pid > 0 && is_at(id, root)) || is_at(id, ""));
}

static int open_path(const struct dso_id *id, const char *root, const struct timespec *seen)
{
	char path[PATH_MAX + 32];
	struct stat st;
	int fd;

	if (id->path[0] != '/' || snprintf(path, sizeof(path), "%s%s", root, id->path) >= (int)sizeof(path))
		return -1;
	fd = open_regular(path, &st);
	if (fd < 0 || is_file_at_path(fd, &st, id, seen))
		return fd;
	close(fd);
	return -1;
}

int dso_open_mapped(const struct dso_id *id, const struct timespec *seen, pid_t pid,
		    uint64_t start, uint64_t end)
{
	char root[32];
	int fd = -1;

	if (pid > 0) {
		snprintf(root, sizeof(root), "/proc/%d/root", pid);
		fd = open_map_file(id, seen, pid, start, end);
		if (fd < 0)
			fd = open_path(id, root, seen);
	}
	if (fd < 0)
		fd = open_path(id, "", seen);
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
	/* The section headers are its last part. */
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
