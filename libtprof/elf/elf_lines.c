// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Source lines of one ELF file: finds the DWARF unit of an address. */
#include "elf_lines.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "elf_dwarf.h"
#include "elf_split.h"

/*
 * Malformed units can refer to the same data repeatedly. Valid data never needs more than a few visits per byte, even
 * if it was compressed.
 */
#define LOOKS_PER_BYTE 32
/* A very large program has a million. */
#define MAX_RANGES (16u << 20)

struct range {
	struct array_range at;
	uint32_t unit;
};

struct elf_lines {
	struct elf_segment *segments;	/* segments of the mapped file, not of its debug file */
	size_t nr_segments;
	struct elf_dwarf file, shared;
	struct elf_split *split;
	struct elf_unit *units;
	size_t nr_units, units_capacity;
	struct range *ranges;		/* sorted */
	size_t nr_ranges, ranges_capacity;
	uint64_t budget;
};

/* The path of a file descriptor in our own root; "" if unknown. */
static const char *path_of(int fd, char path[PATH_MAX])
{
	char link[40];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	path[length < 0 ? 0 : length] = '\0';
	return path;
}

static int take_segments(struct elf_lines *lines, const struct elf_file *file)
{
	lines->segments = calloc(file->nr_segments + 1, sizeof(*lines->segments));
	if (!lines->segments)
		return -ENOMEM;
	for (size_t i = 0; i < file->nr_segments; i++)
		lines->segments[i] = file->segments[i];
	lines->nr_segments = file->nr_segments;
	return 0;
}

/*
 * dwz moves data that several files have in common to a supplementary file. References to it cannot be resolved without
 * that file.
 */
static int read_shared(struct elf_lines *lines, const struct debug_search *search, const char *from)
{
	const char *name;
	const void *build_id;
	ssize_t length = dwelf_dwarf_gnu_debugaltlink(lines->file.dwarf, &name, &build_id);
	int fd, err;

	if (!length)
		return 0;
	if (length < 0)
		return -ENOEXEC;
	fd = debug_search_open_shared(search, from, name, build_id, (size_t)length);
	if (fd < 0)
		return -ENOLINK;
	err = elf_file_open(&lines->shared.file, fd);
	if (!err)
		err = elf_dwarf_read(&lines->shared);
	close(fd);
	if (!err)
		dwarf_setalt(lines->file.dwarf, lines->shared.dwarf);
	return err;
}

static int read_file(struct elf_lines *lines, int fd, int program, const struct debug_search *search, const char *from)
{
	struct stat st;
	int err = fstat(fd, &st) ? -errno : 0;

	if (!err && !elf_dwarf_is_in(&lines->file.file))
		err = -ENOENT;
	if (!err)
		err = elf_dwarf_read(&lines->file);
	if (!err)
		err = read_shared(lines, search, from);
	if (!err) {
		lines->split = elf_split_new(&lines->file, fd, program);
		err = lines->split ? 0 : -ENOMEM;
	}
	lines->budget = err ? 0 : (uint64_t)st.st_size * LOOKS_PER_BYTE;
	return err;
}

/* Uses the file itself, or its debug file. */
static int find_dwarf(struct elf_lines *lines, int fd, const struct debug_search *search)
{
	char path[PATH_MAX];
	int err, debug_fd;

	if (elf_dwarf_is_in(&lines->file.file))
		return read_file(lines, fd, fd, search, search->path);
	debug_fd = debug_search_open(search, &lines->file.file);
	elf_file_close(&lines->file.file);
	if (debug_fd < 0)
		return -ENOENT;
	err = elf_file_open(&lines->file.file, debug_fd);
	if (!err)
		err = read_file(lines, debug_fd, fd, search, path_of(debug_fd, path));
	close(debug_fd);
	return err;
}

static int add_ranges(struct elf_lines *lines, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	struct range *ranges;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (lines->nr_ranges == MAX_RANGES)
			return -ENOEXEC;
		ranges = array_grow(lines->ranges, lines->nr_ranges, &lines->ranges_capacity, sizeof(*ranges));
		if (!ranges)
			return -ENOMEM;
		lines->ranges = ranges;
		ranges[lines->nr_ranges++] = (struct range){ { low, high }, (uint32_t)lines->nr_units };
	}
	return 0;
}

/* Stops at a malformed unit; units after it are not found. */
static int read_units(struct elf_lines *lines)
{
	struct elf_unit *units;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	int err = 0;

	while (!err && !dwarf_get_units(lines->file.dwarf, unit, &unit, NULL, &type, &die, NULL)) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		err = add_ranges(lines, &die);
		units = array_grow(lines->units, lines->nr_units, &lines->units_capacity, sizeof(*units));
		if (!units)
			return -ENOMEM;
		lines->units = units;
		if (!err)
			units[lines->nr_units++] = (struct elf_unit){ .die = die };
	}
	array_sort_ranges(lines->ranges, lines->nr_ranges, sizeof(*lines->ranges));
	return err;
}

struct elf_lines *elf_lines_open(int fd, const struct debug_search *search)
{
	struct elf_lines *lines = calloc(1, sizeof(*lines));
	int err = lines ? elf_file_open(&lines->file.file, fd) : -ENOMEM;

	if (!err)
		err = take_segments(lines, &lines->file.file);
	if (!err)
		err = find_dwarf(lines, fd, search);
	if (!err)
		err = read_units(lines);
	if (!err)
		return lines;
	elf_lines_close(lines);
	errno = -err;
	return NULL;
}

void elf_lines_close(struct elf_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->nr_units; i++)
		elf_unit_fini(&lines->units[i]);
	free(lines->units);
	free(lines->ranges);
	free(lines->segments);
	elf_split_free(lines->split);
	elf_dwarf_close(&lines->file);
	elf_dwarf_close(&lines->shared);
	free(lines);
}

/* Finds the unit with the functions: a different one for split DWARF. */
static void find_code(struct elf_lines *lines, struct elf_unit *unit)
{
	uint64_t bytes;

	unit->has_code = elf_split_find(lines->split, &unit->die, &unit->code, &bytes);
	lines->budget += bytes * LOOKS_PER_BYTE;
}

static struct elf_unit *find_unit(const struct elf_lines *lines, uint64_t vaddr)
{
	const struct range *range = array_find_range(lines->ranges, lines->nr_ranges, sizeof(*range), vaddr);

	return range ? &lines->units[range->unit] : NULL;
}

size_t elf_lines_find(struct elf_lines *lines, uint64_t offset, struct elf_place *places)
{
	struct elf_unit *unit;
	uint64_t vaddr;

	if (!lines->budget || !elf_segments_vaddr(lines->segments, lines->nr_segments, offset, &vaddr))
		return 0;
	unit = find_unit(lines, vaddr);
	if (!unit)
		return 0;
	if (unit->read == ELF_UNIT_UNREAD)
		find_code(lines, unit);
	return elf_unit_find(unit, vaddr, &lines->budget, places);
}

const char *elf_lines_lost(const struct elf_lines *lines)
{
	return elf_split_lost(lines->split);
}
