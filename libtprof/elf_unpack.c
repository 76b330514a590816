// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Contents of sections that may be packed: libelf unpacks them, as large as they said that they are. */
#include "elf_unpack.h"

#include <endian.h>
#include <string.h>

/* At the start of an old one: the magic, and the size, the most significant byte first. */
#define OLD_MAGIC "ZLIB"
#define OLD_MAGIC_BYTES 4
#define OLD_HEADER_BYTES 12

static bool is_old(const struct elf_section *section)
{
	return !section->packed && !strncmp(section->name, ".zdebug", strlen(".zdebug"));
}

static Elf_Scn *handle(const struct elf_file *file, const struct elf_section *section)
{
	return elf_getscn(file->elf, (size_t)(section - file->sections));
}

static bool old_bytes(Elf_Scn *scn, uint64_t *bytes)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || data->d_size < OLD_HEADER_BYTES || memcmp(data->d_buf, OLD_MAGIC, OLD_MAGIC_BYTES))
		return false;
	memcpy(bytes, (const char *)data->d_buf + OLD_MAGIC_BYTES, sizeof(*bytes));
	*bytes = be64toh(*bytes);
	return true;
}

bool elf_unpacked_bytes(const struct elf_file *file, const struct elf_section *section, size_t max_bytes,
			uint64_t *bytes)
{
	Elf_Scn *scn = handle(file, section);
	GElf_Chdr header;

	*bytes = section->size;
	if (!section->packed && !is_old(section))
		return true;
	if (!scn || section->size > max_bytes)
		return false;
	if (is_old(section))
		return old_bytes(scn, bytes);
	if (!gelf_getchdr(scn, &header))
		return false;
	*bytes = header.ch_size;
	return true;
}

bool elf_unpack(const struct elf_file *file, const struct elf_section *section, void *buffer, size_t size)
{
	Elf_Scn *scn = handle(file, section);
	const Elf_Data *data;

	if (!section->packed && !is_old(section))
		return size == section->size && elf_section_read(file, section, 0, buffer, size);
	if (!scn || (is_old(section) ? elf_compress_gnu(scn, 0, 0) : elf_compress(scn, 0, 0)) < 0)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || data->d_size != size)
		return false;
	memcpy(buffer, data->d_buf, size);
	return true;
}
