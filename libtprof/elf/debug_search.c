// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Finds separate debug files and verifies that they belong to the program. */
#include "debug_search.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_DIR "/usr/lib/debug"

/* Identity of the file: a build id, or a checksum. */
struct proof {
	const uint8_t *build_id;
	size_t length;			/* 0: use the checksum */
	uint32_t crc;
};

/*
 * Below the root of other processes, symbolic links must not lead outside. O_NONBLOCK: opening a FIFO must not block.
 */
static int open_below(int root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	if (root < 0)
		return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static bool has_crc(int fd, uint32_t wanted)
{
	uint32_t crc = 0;
	uint8_t block[16384];
	ssize_t got;

	for (off_t at = 0; (got = pread(fd, block, sizeof(block), at)) > 0; at += got)
		crc = (uint32_t)crc32(crc, block, (uInt)got);
	return !got && crc == wanted;
}

static bool has_build_id(int fd, const uint8_t *build_id, size_t length)
{
	uint8_t found[ELF_BUILD_ID_MAX];

	return elf_build_id(fd, found) == length && !memcmp(found, build_id, length);
}

static int open_proven(int root, const char *path, const struct proof *proof)
{
	int fd = open_below(root, path);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    (proof->length ? has_build_id(fd, proof->build_id, proof->length) : has_crc(fd, proof->crc)))
		return fd;
	close(fd);
	return -1;
}

/* Tries the root of the processes, then our own. */
static int open_somewhere(const struct debug_search *search, const char *path, const struct proof *proof)
{
	int fd = search->root < 0 ? -1 : open_proven(search->root, path, proof);

	return fd < 0 ? open_proven(-1, path, proof) : fd;
}

static int open_by_build_id(const struct debug_search *search, const uint8_t *build_id, size_t length)
{
	const struct proof proof = { .build_id = build_id, .length = length };
	char path[sizeof(DEBUG_DIR "/.build-id//.debug") + ELF_BUILD_ID_TEXT], text[ELF_BUILD_ID_TEXT];

	if (length < 2)
		return -1;
	elf_build_id_text(text, build_id, length);
	snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%.2s/%s.debug", text, text + 2);
	return open_somewhere(search, path, &proof);
}

/* Content of the section: a file name, zero padding to a multiple of 4, and the CRC of that file. */
static bool read_debuglink(const struct elf_file *file, char name[NAME_MAX + 1], uint32_t *crc)
{
	const struct elf_section *section = elf_file_find(file, ".gnu_debuglink");
	char content[NAME_MAX + 9];
	size_t length, size;

	if (!section || section->size > sizeof(content) || section->size < 8)
		return false;
	size = section->size;
	if (!elf_section_read(file, section, 0, content, size))
		return false;
	length = strnlen(content, size);
	if (!length || length > NAME_MAX || ((length + 4) & ~(size_t)3) + sizeof(*crc) > size)
		return false;
	memcpy(name, content, length + 1);
	memcpy(crc, content + ((length + 4) & ~(size_t)3), sizeof(*crc));
	return !strchr(name, '/');
}

static int open_by_debuglink(const struct debug_search *search, const struct elf_file *file)
{
	static const char *const formats[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_DIR "%.*s/%s" };
	const char *path = search->path, *slash = path ? strrchr(path, '/') : NULL;
	char name[NAME_MAX + 1], candidate[PATH_MAX + NAME_MAX];
	struct proof proof = { 0 };
	int fd = -1;

	if (!slash || path[0] != '/' || slash - path >= PATH_MAX || !read_debuglink(file, name, &proof.crc))
		return -1;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats) && fd < 0; i++) {
		snprintf(candidate, sizeof(candidate), formats[i], (int)(slash - path), path, name);
		fd = open_somewhere(search, candidate, &proof);
	}
	return fd;
}

static int open_from_server(const struct debug_search *search, const uint8_t *build_id, size_t length)
{
	int fd = search->server ? debug_server_open(search->server, build_id, length) : -1;

	if (fd < 0 || has_build_id(fd, build_id, length))
		return fd;
	close(fd);
	return -1;
}

int debug_search_open(const struct debug_search *search, const struct elf_file *file)
{
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t length = elf_file_build_id(file, build_id);
	int fd = open_by_build_id(search, build_id, length);

	if (fd < 0)
		fd = open_by_debuglink(search, file);
	if (fd < 0)
		fd = open_from_server(search, build_id, length);
	return fd < 0 ? -ENOENT : fd;
}

int debug_search_open_shared(const struct debug_search *search, const char *from, const char *name,
			     const uint8_t *build_id, size_t length)
{
	const struct proof proof = { .build_id = build_id, .length = length };
	const char *slash = from ? strrchr(from, '/') : NULL;
	char path[2 * PATH_MAX];
	int fd = -1;

	if (!length || length > ELF_BUILD_ID_MAX)
		return -ENOENT;
	fd = open_by_build_id(search, build_id, length);
	if (fd < 0 && name[0] == '/')
		fd = open_somewhere(search, name, &proof);
	if (fd < 0 && name[0] != '/' && slash && from[0] == '/' &&
	    snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - from), from, name) < (int)sizeof(path))
		fd = open_somewhere(search, path, &proof);
	return fd < 0 ? -ENOENT : fd;
}
