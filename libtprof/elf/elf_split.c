// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Finds split units. libdw would open them by the names in the program; it gets our copies instead, from files whose
 * owner was checked and which cannot be truncated.
 */
#include "elf_split.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "elf_package.h"
#include "elf_skeleton.h"

/* A .dwo file is read completely. */
#define MAX_FILE_BYTES (1U << 30)
/* The package of the program, and that of its debug file. */
#define NR_PACKAGES 2

struct elf_split {
	const struct elf_dwarf *from;
	char *directory;		/* directory of the file with DWARF, in our own root; NULL: reads no files */
	int fds[NR_PACKAGES];
	struct elf_package *packages[NR_PACKAGES];	/* NULL: none */
	struct elf_skeleton *skeletons;	/* the skeletons made so far */
	size_t nr, capacity;
	const char *lost;
};

static bool is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (!st->st_uid || st->st_uid == geteuid());
}

/* Checks the type before open(2): opening a device or a FIFO can have side effects or block. */
static int open_trusted(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !is_trusted(&st))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && !fstat(fd, &st) && is_trusted(&st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Gets the path of a file descriptor in our own root. Returns false if it is unknown or the file is not trusted. */
static bool trusted_path(int fd, char path[PATH_MAX])
{
	char link[40];
	struct stat st;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	path[length < 0 ? 0 : length] = '\0';
	return path[0] == '/' && !fstat(fd, &st) && is_trusted(&st);
}

static void open_package(struct elf_split *split, size_t number, const char *program)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s.dwp", program);
	split->fds[number] = open_trusted(path);
	if (split->fds[number] >= 0)
		split->packages[number] = elf_package_open(split->fds[number]);
}

struct elf_split *elf_split_new(const struct elf_dwarf *from, int fd, int program)
{
	struct elf_split *split = calloc(1, sizeof(*split));
	char path[PATH_MAX];

	if (!split)
		return NULL;
	split->from = from;
	for (size_t i = 0; i < NR_PACKAGES; i++)
		split->fds[i] = -1;
	if (program != fd && trusted_path(program, path))
		open_package(split, 0, path);
	if (trusted_path(fd, path)) {
		open_package(split, 1, path);
		*strrchr(path, '/') = '\0';
		split->directory = strdup(path);
	}
	return split;
}

void elf_split_free(struct elf_split *split)
{
	if (!split)
		return;
	for (size_t i = 0; i < split->nr; i++)
		elf_skeleton_close(&split->skeletons[i]);
	for (size_t i = 0; i < NR_PACKAGES; i++) {
		elf_package_close(split->packages[i]);
		if (split->fds[i] >= 0)
			close(split->fds[i]);
	}
	free(split->skeletons);
	free(split->directory);
	free(split);
}

static const char *string_of(Dwarf_Die *die, unsigned int name, unsigned int gnu_name)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr(die, name, &attribute) || (gnu_name && dwarf_attr(die, gnu_name, &attribute)))
		return dwarf_formstring(&attribute);
	return NULL;
}

/* Looks beside the program, and in the compilation directory. */
static int open_file(const struct elf_split *split, Dwarf_Die *unit, const char *name)
{
	const char *directory = string_of(unit, DW_AT_comp_dir, 0);
	char path[3 * PATH_MAX];
	int fd;

	if (!split->directory)
		return -1;
	if (name[0] == '/')
		return open_trusted(name);
	snprintf(path, sizeof(path), "%s/%s", split->directory, name);
	fd = open_trusted(path);
	if (fd >= 0 || !directory)
		return fd;
	if (directory[0] == '/')
		snprintf(path, sizeof(path), "%s/%s", directory, name);
	else
		snprintf(path, sizeof(path), "%s/%s/%s", split->directory, directory, name);
	return open_trusted(path);
}

static int read_file(const struct elf_split *split, Dwarf_Die *unit, const char *name, struct elf_image *image)
{
	static const char *const names[] = {
		".debug_abbrev.dwo", ".debug_line.dwo", ".debug_str.dwo", ".debug_str_offsets.dwo",
		".debug_rnglists.dwo", ".debug_info.dwo",
	};
	int fd = open_file(split, unit, name), err;
	struct elf_file file;

	if (fd < 0)
		return -ENOENT;
	err = elf_file_open(&file, fd);
	if (!err) {
		err = elf_image_read(image, &file, names, sizeof(names) / sizeof(names[0]), MAX_FILE_BYTES);
		elf_file_close(&file);
	}
	close(fd);
	return err;
}

static int read_package(const struct elf_split *split, uint64_t unit_id, struct elf_image *image)
{
	int err = -ENOENT;

	for (size_t i = 0; i < NR_PACKAGES && err; i++) {
		if (split->packages[i])
			err = elf_package_read(split->packages[i], unit_id, image);
	}
	return err;
}

/* Takes ownership of the image. */
static int show(struct elf_split *split, Dwarf_Die *unit, struct elf_image *image, Dwarf_Die *code)
{
	struct elf_skeleton *grown = array_grow(split->skeletons, split->nr, &split->capacity, sizeof(*grown));
	int err = grown ? 0 : -ENOMEM;

	if (grown) {
		split->skeletons = grown;
		err = elf_skeleton_open(&grown[split->nr], split->from, unit, image, code);
	}
	if (!err)
		split->nr++;
	elf_image_free(image);
	return err;
}

bool elf_split_find(struct elf_split *split, Dwarf_Die *unit, Dwarf_Die *code, uint64_t *bytes)
{
	const char *name = string_of(unit, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	struct elf_image image;
	uint64_t unit_id;
	int err = -ENOENT;

	*code = *unit;
	*bytes = 0;
	if (!name)
		return true;
	if (!dwarf_cu_info(unit->cu, NULL, NULL, NULL, NULL, &unit_id, NULL, NULL)) {
		err = read_package(split, unit_id, &image);
		if (err)
			err = read_file(split, unit, name, &image);
	}
	if (!err) {
		*bytes = image.size;
		err = show(split, unit, &image, code);
	}
	if (err && !split->lost)
		split->lost = name;
	return !err;
}

const char *elf_split_lost(const struct elf_split *split)
{
	return split->lost;
}
