// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Separate debug files: never used without proof that they belong to the file. */
#include "elf_debug.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"
#define MAX_NOTES_BYTES 65536

const char *elf_build_id_text(char text[ELF_BUILD_ID_TEXT], const uint8_t *build_id, size_t length)
{
	text[0] = '\0';
	for (size_t i = 0; i < length; i++)
		sprintf(text + 2 * i, "%02x", build_id[i]);
	return text;
}

size_t elf_notes_build_id(const uint8_t *notes, size_t size, size_t align, uint8_t build_id[ELF_BUILD_ID_MAX])
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;	/* the same in both classes */
		size_t name, content;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > size - name)
			return 0;
		content = (name + note.n_namesz + align - 1) & ~(align - 1);
		if (content > size || note.n_descsz > size - content)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
		    note.n_descsz && note.n_descsz <= ELF_BUILD_ID_MAX) {
			memcpy(build_id, notes + content, note.n_descsz);
			return note.n_descsz;
		}
		at = (content + note.n_descsz + align - 1) & ~(align - 1);
		if (at > size)
			return 0;
	}
	return 0;
}

static size_t read_notes(int fd, uint64_t offset, uint64_t size, size_t align,
			 uint8_t build_id[ELF_BUILD_ID_MAX])
{
	uint8_t *notes;
	size_t length = 0;

	if (!size || size > MAX_NOTES_BYTES || offset > INT64_MAX)
		return 0;
	notes = malloc(size);
	if (notes && pread(fd, notes, size, (off_t)offset) == (ssize_t)size)
		length = elf_notes_build_id(notes, size, align == 8 ? 8 : 4, build_id);
	free(notes);
	return length;
}

/* By section first: a debug file has the program headers of the original, but not what they point to. */
size_t elf_file_build_id(const struct elf_file *file, uint8_t build_id[ELF_BUILD_ID_MAX])
{
	size_t length = 0, nr;

	for (size_t i = 0; i < file->nr_sections && !length; i++) {
		const struct elf_section *section = &file->sections[i];

		if (section->type == SHT_NOTE)
			length = read_notes(file->fd, section->offset, section->size, section->align, build_id);
	}
	if (length || file->nr_sections || elf_getphdrnum(file->elf, &nr))
		return length;
	for (size_t i = 0; i < nr && !length; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(file->elf, (int)i, &header) && header.p_type == PT_NOTE)
			length = read_notes(file->fd, header.p_offset, header.p_filesz, header.p_align, build_id);
	}
	return length;
}

size_t elf_build_id(int fd, uint8_t build_id[ELF_BUILD_ID_MAX])
{
	struct elf_file file;
	size_t length;

	if (elf_file_open(&file, fd))
		return 0;
	length = elf_file_build_id(&file, build_id);
	elf_file_close(&file);
	return length;
}

static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -1;
}

static int open_by_build_id(const struct elf_file *file)
{
	uint8_t wanted[ELF_BUILD_ID_MAX], found[ELF_BUILD_ID_MAX];
	char path[sizeof(DEBUG_DIR) + 32 + 2 * ELF_BUILD_ID_MAX];
	size_t length = elf_file_build_id(file, wanted);
	int fd, used;

	if (length < 2)
		return -1;
	used = snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%02x/", wanted[0]);
	for (size_t i = 1; i < length; i++)
		used += snprintf(path + used, sizeof(path) - used, "%02x", wanted[i]);
	snprintf(path + used, sizeof(path) - used, ".debug");

	fd = open_regular(path);
	if (fd < 0)
		return -1;
	if (elf_build_id(fd, found) == length && !memcmp(found, wanted, length))
		return fd;
	close(fd);
	return -1;
}

/* CRC-32 as in zlib and Ethernet, a byte at a time. */
static void make_crc_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		table[i] = crc;
	}
}

static bool has_crc(int fd, uint32_t wanted)
{
	uint32_t table[256], crc = UINT32_MAX;
	uint8_t block[16384];
	ssize_t got;

	make_crc_table(table);
	for (off_t at = 0; (got = pread(fd, block, sizeof(block), at)) > 0; at += got) {
		for (ssize_t i = 0; i < got; i++)
			crc = crc >> 8 ^ table[(crc ^ block[i]) & 0xff];
	}
	return !got && ~crc == wanted;
}

/* The section: a file name, zero bytes up to a multiple of 4, the checksum of that file. */
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

static int open_by_debuglink(const struct elf_file *file, const char *path)
{
	static const char *const formats[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_DIR "%.*s/%s" };
	const char *slash = path ? strrchr(path, '/') : NULL;
	char name[NAME_MAX + 1], candidate[PATH_MAX + NAME_MAX];
	uint32_t crc;

	if (!slash || path[0] != '/' || slash - path >= PATH_MAX || !read_debuglink(file, name, &crc))
		return -1;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		int fd;

		snprintf(candidate, sizeof(candidate), formats[i], (int)(slash - path), path, name);
		fd = open_regular(candidate);
		if (fd < 0)
			continue;
		if (has_crc(fd, crc))
			return fd;
		close(fd);
	}
	return -1;
}

int elf_debug_open(const struct elf_file *file, const char *path)
{
	int fd = open_by_build_id(file);

	if (fd < 0)
		fd = open_by_debuglink(file, path);
	return fd < 0 ? -ENOENT : fd;
}
