// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* gzip by zlib, with a limit on the decompressed size. Data without the gzip magic is copied as it is. */
#include "gzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "array.h"
#include "error.h"

#define CHUNK_BYTES (64 * 1024)
/*
 * For zlib: the largest window (15), with a gzip header (16). zlib's default header has no file name and no time stamp.
 */
#define GZIP_WINDOW (15 + 16)
#define MEMORY_LEVEL 8

int gzip_write(const uint8_t *bytes, size_t size, FILE *out)
{
	uint8_t *chunk = malloc(CHUNK_BYTES);
	z_stream stream = { 0 };
	int state = Z_OK;

	if (!chunk || deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
				   Z_DEFAULT_STRATEGY) != Z_OK) {
		free(chunk);
		return -ENOMEM;
	}
	stream.next_in = (uint8_t *)bytes;
	while (state != Z_STREAM_END) {
		/* zlib's sizes have 32 bits. */
		size_t left = size - (size_t)(stream.next_in - bytes);

		stream.avail_in = left > CHUNK_BYTES ? CHUNK_BYTES : (unsigned int)left;
		stream.next_out = chunk;
		stream.avail_out = CHUNK_BYTES;
		state = deflate(&stream, left > CHUNK_BYTES ? Z_NO_FLUSH : Z_FINISH);
		fwrite(chunk, 1, CHUNK_BYTES - stream.avail_out, out);
	}
	deflateEnd(&stream);
	free(chunk);
	return 0;
}

struct reader {
	z_stream stream;
	const char *name;
	size_t limit;
	struct gzip_bytes *into;
	struct tprof_error *error;
	bool ended;		/* at the end of a gzip member; another may follow */
	bool begun;
	bool plain;		/* not compressed: copied as it is */
};

static int reserve(struct reader *reader)
{
	struct gzip_bytes *into = reader->into;
	/* The capacity may exceed the limit, but untouched pages use no memory. */
	uint8_t *larger = array_reserve(into->bytes, into->bytes ? into->size + 1 : CHUNK_BYTES, &into->capacity, 1);

	if (!larger)
		return error_set(reader->error, ENOMEM, "%s: not enough memory", reader->name);
	into->bytes = larger;
	return 0;
}

static int damaged(const struct reader *reader)
{
	int err = error_set(reader->error, EBADMSG, "%s: damaged: it cannot be decompressed", reader->name);

	error_hint(reader->error, "test the file with `gzip -t`; a transfer may have truncated it");
	return err;
}

static int too_large(const struct reader *reader)
{
	return error_set(reader->error, EFBIG, "%s: decompresses to more than %zu MiB, the limit", reader->name,
			 reader->limit >> 20);
}

/* Decompresses the chunk that was just read. */
static int inflate_chunk(struct reader *reader)
{
	z_stream *stream = &reader->stream;
	struct gzip_bytes *into = reader->into;
	int state = Z_OK, err;

	/* zlib may hold more output after it has consumed all input, if the output buffer was full. */
	while (stream->avail_in || (state == Z_OK && !stream->avail_out)) {
		size_t free_bytes;

		if (reader->ended && inflateReset(stream) != Z_OK)
			return damaged(reader);
		err = reserve(reader);
		if (err)
			return err;
		free_bytes = into->capacity - into->size;
		stream->next_out = into->bytes + into->size;
		stream->avail_out = free_bytes > CHUNK_BYTES ? CHUNK_BYTES : (unsigned int)free_bytes;
		state = inflate(stream, Z_NO_FLUSH);
		if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
			return damaged(reader);
		into->size = (size_t)(stream->next_out - into->bytes);
		reader->ended = state == Z_STREAM_END;
		if (into->size > reader->limit)
			return too_large(reader);
	}
	return 0;
}

static int copy_chunk(struct reader *reader, const uint8_t *chunk, size_t size)
{
	struct gzip_bytes *into = reader->into;

	while (size) {
		int err = reserve(reader);
		size_t free_bytes = into->capacity - into->size, part = size < free_bytes ? size : free_bytes;

		if (err)
			return err;
		memcpy(into->bytes + into->size, chunk, part);
		into->size += part;
		chunk += part;
		size -= part;
		if (into->size > reader->limit)
			return too_large(reader);
	}
	return 0;
}

static int take_chunk(struct reader *reader, uint8_t *chunk, size_t size)
{
	if (!reader->begun)
		reader->plain = size < 2 || chunk[0] != 0x1f || chunk[1] != 0x8b;
	reader->begun = true;
	if (reader->plain)
		return copy_chunk(reader, chunk, size);
	reader->stream.next_in = chunk;
	reader->stream.avail_in = (unsigned int)size;
	return inflate_chunk(reader);
}

static int read_all(int fd, const struct file_head *head, struct reader *reader, uint8_t *chunk)
{
	ssize_t size;
	int err;

	memcpy(chunk, head->bytes, head->size);
	err = head->size ? take_chunk(reader, chunk, head->size) : 0;
	if (err)
		return err;
	while ((size = read(fd, chunk, CHUNK_BYTES)) != 0) {
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return error_set(reader->error, errno, "%s: %s", reader->name, strerror(errno));
		err = take_chunk(reader, chunk, (size_t)size);
		if (err)
			return err;
	}
	if (!reader->begun)
		return error_set(reader->error, EBADMSG, "%s: empty", reader->name);
	return reader->ended || reader->plain ? 0 : error_set(reader->error, EBADMSG, "%s: cut short", reader->name);
}

int gzip_read(int fd, const struct file_head *head, const char *name, size_t limit, struct gzip_bytes *unpacked,
	      struct tprof_error *error)
{
	struct reader reader = { .name = name, .limit = limit, .into = unpacked, .error = error };
	uint8_t *chunk = malloc(CHUNK_BYTES);
	int err;

	*unpacked = (struct gzip_bytes){ 0 };
	if (!chunk || inflateInit2(&reader.stream, GZIP_WINDOW) != Z_OK) {
		free(chunk);
		return error_set(error, ENOMEM, "%s: not enough memory", name);
	}
	err = read_all(fd, head, &reader, chunk);
	inflateEnd(&reader.stream);
	free(chunk);
	if (err) {
		free(unpacked->bytes);
		*unpacked = (struct gzip_bytes){ 0 };
	}
	return err;
}
