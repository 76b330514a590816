// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Lines of source of one ELF file: which unit of its DWARF has an address. */
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

#include "array.h"

/*
 * Damaged DWARF can make units point to the same things over and over. Nothing needs more looks than a few for each
 * byte, compressed ones at that.
 */
#define LOOKS_PER_BYTE 32
/* A very large program has a million. */
#define MAX_RANGES (16u << 20)
/* ELFCOMPRESS_ZSTD of newer headers. */
#define TYPE_ZSTD 2

struct range {
	struct array_range at;
	uint32_t unit;
};

/* A file with DWARF, all of which is in memory. */
struct dwarf_file {
	struct elf_file elf;
	Dwarf *dwarf;
};

struct elf_lines {
	struct elf_segment *segments;	/* of the mapped file, not of its debug file */
	size_t nr_segments;
	struct dwarf_file file, shared;
	char *directory;		/* of the file with DWARF, as libdw sees it; NULL: no other files are opened */
	struct elf_unit *units;
	size_t nr_units, room_units;
	struct range *ranges;		/* sorted */
	size_t nr_ranges, room_ranges;
	uint64_t budget;
	const char *lost;		/* the first file split off that cannot be read; NULL: none so far */
};

static bool is_strings(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strstr(name, "debug_") && (!strcmp(name + length - 4, "_str") ||
							(length > 8 && !strcmp(name + length - 8, "_str.dwo")));
}

/* libdw up to 0.188 runs over the end of strings that have none. What it reads is ours, and is mended. */
static void end_strings(const struct elf_file *file)
{
	for (size_t i = 0; i < file->nr_sections; i++) {
		Elf_Data *data;

		if (!is_strings(file->sections[i].name))
			continue;
		data = elf_rawdata(elf_getscn(file->elf, i), NULL);
		if (data && data->d_buf && data->d_size)
			((char *)data->d_buf)[data->d_size - 1] = '\0';
	}
}

/* libdw keeps all it needs: the descriptor is not used any more. */
static int read_dwarf(struct dwarf_file *file)
{
	file->dwarf = dwarf_begin_elf(file->elf.elf, DWARF_C_READ, NULL);
	end_strings(&file->elf);
	elf_cntl(file->elf.elf, ELF_C_FDDONE);
	file->elf.fd = -1;
	return file->dwarf ? 0 : -ENOEXEC;
}

static void close_dwarf(struct dwarf_file *file)
{
	dwarf_end(file->dwarf);
	if (file->elf.elf)
		elf_file_close(&file->elf);
	file->dwarf = NULL;
}

static bool has_dwarf(const struct elf_file *file)
{
	const struct elf_section *plain = elf_file_find(file, ".debug_info");

	return (plain && plain->type != SHT_NOBITS) || elf_file_find(file, ".zdebug_info");
}

/* Packed by zstd, which libelf knows since 0.189, and only if it was built so. What it can unpack it does here. */
static int unpack_zstd(const struct elf_file *file)
{
	GElf_Chdr header;

	for (size_t i = 0; i < file->nr_sections; i++) {
		Elf_Scn *scn = elf_getscn(file->elf, i);

		if (!file->sections[i].packed || strncmp(file->sections[i].name, ".debug_", strlen(".debug_")) ||
		    !gelf_getchdr(scn, &header) || header.ch_type != TYPE_ZSTD)
			continue;
		if (elf_compress(scn, 0, 0) < 0)
			return -EPROTONOSUPPORT;
	}
	return 0;
}

/* Files that a unit was split off to are named by the file: that of a stranger could name anything. */
static bool is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (!st->st_uid || st->st_uid == geteuid());
}

/* Where a descriptor leads to, in our own root; "" if that is not known. */
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

/* dwz moves what several files have into one of its own. What refers to it means nothing without. */
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
		return -ENOENT;
	err = elf_file_open(&lines->shared.elf, fd);
	if (!err)
		err = read_dwarf(&lines->shared);
	close(fd);
	if (!err)
		dwarf_setalt(lines->file.dwarf, lines->shared.dwarf);
	return err;
}

static int read_file(struct elf_lines *lines, int fd, const struct debug_search *search, const char *from)
{
	char path[PATH_MAX];
	struct stat st;
	int err = fstat(fd, &st) ? -errno : 0;

	if (!err && !has_dwarf(&lines->file.elf))
		err = -ENOENT;
	if (!err)
		err = unpack_zstd(&lines->file.elf);
	if (!err)
		err = read_dwarf(&lines->file);
	if (!err)
		err = read_shared(lines, search, from);
	if (!err && is_trusted(&st) && path_of(fd, path)[0] == '/') {
		*strrchr(path, '/') = '\0';
		lines->directory = strdup(path);
	}
	lines->budget = err ? 0 : (uint64_t)st.st_size * LOOKS_PER_BYTE;
	return err;
}

/* The file itself, or its debug file. */
static int find_dwarf(struct elf_lines *lines, int fd, const struct debug_search *search)
{
	char path[PATH_MAX];
	int err, debug_fd;

	if (has_dwarf(&lines->file.elf))
		return read_file(lines, fd, search, search->path);
	debug_fd = debug_search_open(search, &lines->file.elf);
	elf_file_close(&lines->file.elf);
	if (debug_fd < 0)
		return -ENOENT;
	err = elf_file_open(&lines->file.elf, debug_fd);
	if (!err)
		err = read_file(lines, debug_fd, search, path_of(debug_fd, path));
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
		ranges = array_grow(lines->ranges, lines->nr_ranges, &lines->room_ranges, sizeof(*ranges));
		if (!ranges)
			return -ENOMEM;
		lines->ranges = ranges;
		ranges[lines->nr_ranges++] = (struct range){ { low, high }, (uint32_t)lines->nr_units };
	}
	return 0;
}

/* Units behind one that is damaged are not found. */
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
		units = array_grow(lines->units, lines->nr_units, &lines->room_units, sizeof(*units));
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
	int err = lines ? elf_file_open(&lines->file.elf, fd) : -ENOMEM;

	if (!err)
		err = take_segments(lines, &lines->file.elf);
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
	free(lines->directory);
	close_dwarf(&lines->file);
	close_dwarf(&lines->shared);
	free(lines);
}

/* Splitting ------------------------------------------------------------------------------------------------ */

/* libdw opens what it is told to: a pipe would keep it waiting. */
static bool is_harmless(const char *path)
{
	struct stat st;

	return stat(path, &st) || is_trusted(&st);
}

/* All places where libdw looks for the file. */
static bool may_open(const char *beside, const char *directory, const char *name)
{
	char path[3 * PATH_MAX];

	if (name[0] == '/')
		return is_harmless(name);
	snprintf(path, sizeof(path), "%s/%s", beside, name);
	if (!is_harmless(path))
		return false;
	if (!directory)
		return true;
	snprintf(path, sizeof(path), "%s/%s/%s", directory[0] == '/' ? "" : beside, directory, name);
	return is_harmless(path);
}

static const char *string_of(Dwarf_Die *die, unsigned int name, unsigned int gnu_name)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr(die, name, &attribute) || (gnu_name && dwarf_attr(die, gnu_name, &attribute)))
		return dwarf_formstring(&attribute);
	return NULL;
}

/* The unit that has the functions: that of the .dwo file, if one was split off. */
static void find_code(struct elf_lines *lines, struct elf_unit *unit)
{
	const char *name = string_of(&unit->die, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *directory = string_of(&unit->die, DW_AT_comp_dir, 0);
	Dwarf_Die sub;

	unit->code = unit->die;
	unit->has_code = !name;
	if (!name)
		return;
	if (!lines->directory || !may_open(lines->directory, directory, name) ||
	    dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &sub, NULL, NULL, NULL) || !dwarf_tag(&sub)) {
		lines->lost = lines->lost ? lines->lost : name;
		return;
	}
	unit->code = sub;
	unit->has_code = true;
}

/* ---------------------------------------------------------------------------------------------------------- */

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
	return lines->lost;
}
