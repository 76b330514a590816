// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads the DWARF of a file into memory, whatever its compression. */
#include "elf_dwarf.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "elf_unpack.h"

bool elf_dwarf_is_in(const struct elf_file *file)
{
	const struct elf_section *section = elf_image_find(file, ".debug_info");

	return section && section->type != SHT_NOBITS;
}

static bool is_debug(const char *name)
{
	return !strncmp(name, ".debug_", strlen(".debug_")) || !strncmp(name, ".zdebug_", strlen(".zdebug_"));
}

static bool is_strings(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strstr(name, "debug_") && (!strcmp(name + length - 4, "_str") ||
							(length > 8 && !strcmp(name + length - 8, "_str.dwo")));
}

/*
 * libdw up to 0.188 reads beyond the end of an unterminated string section. The data is our private copy, so it is
 * terminated here.
 */
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

/* Limit for the total size: libelf reads as much as a file claims to have. */
static uint64_t max_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 2 : 1ULL << 30;
}

/* Checks the total size, and whether any section is compressed with Zstandard. */
static int look_at(const struct elf_file *file, bool *is_zstd)
{
	uint64_t size = 0, max = max_bytes(), bytes;

	*is_zstd = false;
	for (size_t i = 0; i < file->nr_sections; i++) {
		const struct elf_section *section = &file->sections[i];

		if (!is_debug(section->name) || section->type == SHT_NOBITS)
			continue;
		if (section->size > max)
			return -E2BIG;
		if (!elf_unpacked_bytes(file, section, max, &bytes))
			return -ENOEXEC;
		if (bytes > max - size)
			return -E2BIG;
		size += bytes;
		*is_zstd = *is_zstd || elf_is_zstd(file, section);
	}
	return 0;
}

/* Copies and decompresses the sections that are used here. */
static int unpack(struct elf_dwarf *dwarf)
{
	static const char *const names[] = {
		".debug_abbrev", ".debug_addr", ".debug_line", ".debug_line_str", ".debug_str", ".debug_str_offsets",
		".debug_ranges", ".debug_rnglists", ".debug_types", ".gnu_debugaltlink", ".debug_info",
	};
	int err = elf_image_read(&dwarf->image, &dwarf->file, names, sizeof(names) / sizeof(names[0]), max_bytes());

	if (err)
		return err;
	dwarf->elf = elf_memory(dwarf->image.bytes, dwarf->image.size);
	return dwarf->elf ? 0 : -ENOMEM;
}

int elf_dwarf_read(struct elf_dwarf *dwarf)
{
	bool is_zstd;
	int err = look_at(&dwarf->file, &is_zstd);

	if (!err && is_zstd)
		err = unpack(dwarf);
	if (err)
		return err;
	dwarf->dwarf = dwarf_begin_elf(dwarf->elf ? dwarf->elf : dwarf->file.elf, DWARF_C_READ, NULL);
	/* The image has a zero byte after each section. */
	if (!dwarf->elf)
		end_strings(&dwarf->file);
	elf_cntl(dwarf->file.elf, ELF_C_FDDONE);
	dwarf->file.fd = -1;
	return dwarf->dwarf ? 0 : -ENOEXEC;
}

void elf_dwarf_close(struct elf_dwarf *dwarf)
{
	dwarf_end(dwarf->dwarf);
	elf_end(dwarf->elf);
	elf_image_free(&dwarf->image);
	if (dwarf->file.elf)
		elf_file_close(&dwarf->file);
	*dwarf = (struct elf_dwarf){ .file.fd = -1 };
}

const Elf_Data *elf_dwarf_section(const struct elf_dwarf *dwarf, const char *name)
{
	Elf *elf = dwarf->elf ? dwarf->elf : dwarf->file.elf;
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *found = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (found && (!strcmp(found, name) || (!strncmp(found, ".z", 2) && !strcmp(found + 2, name + 1))))
			return elf_getdata(scn, NULL);
	}
	return NULL;
}
