// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Build ids of ELF files. */
#include "elf_build_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/*
 * Reads sections first: a debug file has the program headers of the original file, but not the contents that they refer
 * to.
 */
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
