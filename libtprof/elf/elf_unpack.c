// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Contents of sections that may be compressed. libelf decompresses zlib, up to the claimed size, which is at most about
 * a thousand times the compressed size. libelf supports Zstandard only since 0.189, and only as a build option; it is
 * decompressed here, within the same limits.
 */
#include "elf_unpack.h"

#include <endian.h>
#include <string.h>
#include <zstd.h>

/* ELFCOMPRESS_ZSTD in newer headers. */
#define TYPE_ZSTD 2
/* The maximum compression ratio of zlib. A higher claim is not debug data but an attempt to exhaust memory. */
#define MAX_RATIO 1032

/* Header of the old format: the magic, and the size in big endian. */
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

bool elf_is_packed(const struct elf_section *section)
{
	return section->packed || is_old(section);
}

bool elf_unpacked_bytes(const struct elf_file *file, const struct elf_section *section, size_t max_bytes,
			uint64_t *bytes)
{
	Elf_Scn *scn = handle(file, section);
	GElf_Chdr header;

	*bytes = section->size;
	if (!elf_is_packed(section))
		return true;
	if (!scn || section->size > max_bytes)
		return false;
	if (is_old(section))
		return old_bytes(scn, bytes);
	if (!gelf_getchdr(scn, &header))
		return false;
	*bytes = header.ch_size;
	return *bytes > max_bytes || *bytes / MAX_RATIO <= section->size;
}

/* The compressed data follows the header. */
static bool unpack_zstd(const struct elf_file *file, Elf_Scn *scn, void *buffer, size_t size)
{
	size_t header = file->is_64bit ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	const Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf || data->d_size <= header)
		return false;
	return ZSTD_decompress(buffer, size, (const char *)data->d_buf + header, data->d_size - header) == size;
}

bool elf_is_zstd(const struct elf_file *file, const struct elf_section *section)
{
	Elf_Scn *scn = handle(file, section);
	GElf_Chdr header;

	return section->packed && scn && gelf_getchdr(scn, &header) && header.ch_type == TYPE_ZSTD;
}

bool elf_unpack(const struct elf_file *file, const struct elf_section *section, void *buffer, size_t size)
{
	Elf_Scn *scn = handle(file, section);
	const Elf_Data *data;

	if (!elf_is_packed(section))
		return size == section->size && elf_section_read(file, section, 0, buffer, size);
	if (elf_is_zstd(file, section))
		return unpack_zstd(file, scn, buffer, size);
	if (!scn || (is_old(section) ? elf_compress_gnu(scn, 0, 0) : elf_compress(scn, 0, 0)) < 0)
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || data->d_size != size)
		return false;
	memcpy(buffer, data->d_buf, size);
	return true;
}
