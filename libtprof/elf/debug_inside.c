// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* MiniDebugInfo: the symbols in the section .gnu_debugdata. */
#include "debug_inside.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Limits for the compressed and uncompressed size; the largest programs have some megabytes. */
#define MAX_PACKED_BYTES (32u << 20)
#define MAX_BYTES (256u << 20)
/* Memory limit of the decompressor, without its output. */
#define MAX_MEMORY_BYTES (128u << 20)

/* Returns 0 when everything is written. */
static int unpack(lzma_stream *stream, int fd)
{
	uint8_t block[65536];
	size_t total = 0;
	lzma_ret ret;

	do {
		size_t size;

		stream->next_out = block;
		stream->avail_out = sizeof(block);
		ret = lzma_code(stream, LZMA_FINISH);
		size = sizeof(block) - stream->avail_out;
		total += size;
		if ((ret != LZMA_OK && ret != LZMA_STREAM_END) || total > MAX_BYTES)
			return -ENOEXEC;
		if (write(fd, block, size) != (ssize_t)size)
			return -ENOMEM;
	} while (ret != LZMA_STREAM_END);
	return 0;
}

static int unpack_to_file(const uint8_t *packed, size_t size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int fd = memfd_create("tprof-debugdata", MFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = lzma_stream_decoder(&stream, MAX_MEMORY_BYTES, 0) == LZMA_OK ? 0 : -ENOMEM;
	stream.next_in = packed;
	stream.avail_in = size;
	if (!err)
		err = unpack(&stream, fd);
	lzma_end(&stream);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int debug_inside_open(const struct elf_file *file)
{
	const struct elf_section *section = elf_file_find(file, ".gnu_debugdata");
	uint8_t *packed;
	int fd = -ENOEXEC;

	if (!section || !section->size || section->size > MAX_PACKED_BYTES)
		return -ENOENT;
	packed = malloc(section->size);
	if (!packed)
		return -ENOMEM;
	if (elf_section_read(file, section, 0, packed, section->size))
		fd = unpack_to_file(packed, section->size);
	free(packed);
	return fd;
}
