// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Writes the records of a raw recording, with headers and checksums. */
#include "raw_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"

/* Bytes buffered before a write. The buffer is also written at the end of a reading. */
#define WRITE_BYTES (256 * 1024)

void raw_out_fini(struct raw_out *out)
{
	free(out->buffer);
	*out = (struct raw_out){ .fd = -1 };
}

static int reserve(struct raw_out *out, size_t wanted)
{
	uint8_t *larger = array_reserve(out->buffer, wanted, &out->capacity, 1);

	if (!larger)
		return -ENOMEM;
	out->buffer = larger;
	return 0;
}

static void add_samples(struct tprof_tally *sum, const uint8_t *payload, size_t size)
{
	const size_t stride = raw_get32(payload);

	for (size_t at = RAW_SAMPLES_AT; at + stride <= size; at += stride) {
		sum->samples += raw_get32(payload + at + RAW_SAMPLE_SAMPLES_AT);
		sum->weight += raw_get64(payload + at + RAW_SAMPLE_WEIGHT_AT);
	}
}

/* Counts the samples of records in the buffer that end after @done. */
static void count_unwritten(struct raw_out *out, size_t first, size_t done)
{
	for (size_t at = first, next; at < out->size; at = next) {
		const uint8_t *record = out->buffer + at;
		const uint32_t size = raw_get32(record + RAW_LENGTH_AT);

		next = at + RAW_HEADER + size;
		if (next > done && raw_get32(record) == RAW_SAMPLES)
			add_samples(&out->unwritten, record + RAW_HEADER, size);
	}
}

int raw_out_write(struct raw_out *out)
{
	const size_t first = out->bytes ? 0 : RAW_FILE_HEADER;
	size_t done = 0;

	while (done < out->size && !out->err) {
		ssize_t size = write(out->fd, out->buffer + done, out->size - done);

		if (size > 0)
			done += (size_t)size;
		else if (size < 0 && errno != EINTR)
			out->err = -errno;
	}
	if (out->err)
		count_unwritten(out, first, done);
	out->bytes += done;
	out->size = 0;
	return out->err;
}

int raw_out_header(struct raw_out *out)
{
	int err = reserve(out, RAW_FILE_HEADER);

	if (err)
		return err;
	memcpy(out->buffer, RAW_MAGIC, RAW_MAGIC_BYTES);
	raw_put16(out->buffer + RAW_MAJOR_AT, RAW_MAJOR);
	raw_put16(out->buffer + RAW_MINOR_AT, RAW_MINOR);
	raw_put32(out->buffer + RAW_BYTE_ORDER_AT, RAW_BYTE_ORDER);
	out->size = RAW_FILE_HEADER;
	return 0;
}

static void seal(uint8_t *record, uint32_t type, uint32_t size)
{
	uLong sum;

	raw_put32(record, type);
	raw_put32(record + RAW_LENGTH_AT, size);
	sum = crc32(crc32(0, NULL, 0), record, RAW_CHECKSUM_AT);
	sum = size ? crc32(sum, record + RAW_HEADER, size) : sum;
	raw_put32(record + RAW_CHECKSUM_AT, (uint32_t)sum);
}

uint8_t *raw_out_begin(struct raw_out *out, size_t size)
{
	if (reserve(out, out->size + RAW_HEADER + size))
		return NULL;
	return out->buffer + out->size + RAW_HEADER;
}

int raw_out_end(struct raw_out *out, enum raw_type type, size_t size)
{
	seal(out->buffer + out->size, type, (uint32_t)size);
	out->size += RAW_HEADER + size;
	return out->size < WRITE_BYTES ? 0 : raw_out_write(out);
}

int raw_out_record(struct raw_out *out, enum raw_type type, const void *payload, size_t size)
{
	uint8_t *into = raw_out_begin(out, size);

	if (!into)
		return -ENOMEM;
	if (size)
		memcpy(into, payload, size);
	return raw_out_end(out, type, size);
}
