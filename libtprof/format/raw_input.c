// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads the records of a raw recording. */
#include "raw_input.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "raw.h"

/* Holds the largest record, and bytes read ahead. */
#define BUFFER_BYTES (2 * (RAW_HEADER + RAW_MAX_PAYLOAD))

_Static_assert(sizeof((struct file_head){ 0 }.bytes) == RAW_MAGIC_BYTES, "the head is the magic");

bool raw_is_raw(const struct file_head *head)
{
	return head->size == RAW_MAGIC_BYTES && !memcmp(head->bytes, RAW_MAGIC, RAW_MAGIC_BYTES);
}

/* Fills the buffer with at least @wanted bytes. Returns 1, 0 if the file ends before, or -errno. */
static int fill(struct raw_input *input, size_t wanted)
{
	if (input->size < wanted && input->at) {
		memmove(input->buffer, input->buffer + input->at, input->size);
		input->at = 0;
	}
	while (input->size < wanted && !input->ended) {
		ssize_t size = read(input->fd, input->buffer + input->size, BUFFER_BYTES - input->size);

		if (size > 0)
			input->size += (size_t)size;
		else if (size == 0)
			input->ended = true;
		else if (errno != EINTR)
			return error_set(input->error, errno, "%s: %s", input->name, strerror(errno));
	}
	return input->size >= wanted;
}

static void take(struct raw_input *input, size_t size)
{
	input->at += size;
	input->size -= size;
	input->offset += size;
}

static int check_head(struct raw_input *input)
{
	const uint8_t *head = input->buffer;
	unsigned int major = raw_get16(head + RAW_MAJOR_AT);

	if (major != RAW_MAJOR || raw_get32(head + RAW_BYTE_ORDER_AT) != RAW_BYTE_ORDER) {
		error_set(input->error, EPROTONOSUPPORT, "%s: raw recording of version %u.%u; this tprof reads "
			  "version %d", input->name, major, raw_get16(head + RAW_MINOR_AT), RAW_MAJOR);
		error_hint(input->error, "read it with the version of tprof that wrote it");
		return -EPROTONOSUPPORT;
	}
	take(input, RAW_FILE_HEADER);
	return 0;
}

int raw_input_open(struct raw_input *input, int fd, const struct file_head *head, const char *name,
		   struct tprof_error *error)
{
	int ready;

	*input = (struct raw_input){ .fd = fd, .name = name, .error = error, .buffer = malloc(BUFFER_BYTES) };
	if (!input->buffer)
		return error_set(error, ENOMEM, "%s: not enough memory", name);
	memcpy(input->buffer, head->bytes, head->size);
	input->size = head->size;
	if (!head->size)
		return error_set(error, EBADMSG, "%s: empty", name);
	if (!raw_is_raw(head))
		return error_set(error, EBADMSG, "%s: not a raw recording", name);
	ready = fill(input, RAW_FILE_HEADER);
	if (ready < 0)
		return ready;
	return ready ? check_head(input) : error_set(error, EBADMSG, "%s: cut short in its header", name);
}

void raw_input_close(struct raw_input *input)
{
	free(input->buffer);
	input->buffer = NULL;
}

static int damaged(struct raw_input *input, const char *how)
{
	input->damage = how;
	return 0;
}

static int cut_short(struct raw_input *input)
{
	input->cut = true;
	return damaged(input, "cut short");
}

int raw_input_next(struct raw_input *input, struct raw_record *record)
{
	const uint8_t *bytes;
	int ready = fill(input, RAW_HEADER);
	uint32_t size;
	uLong sum;

	if (ready <= 0)
		return ready < 0 ? ready : input->size ? cut_short(input) : 0;
	size = raw_get32(input->buffer + input->at + RAW_LENGTH_AT);
	if (size > RAW_MAX_PAYLOAD)
		return damaged(input, "a record is too long");
	ready = fill(input, RAW_HEADER + size);
	if (ready <= 0)
		return ready < 0 ? ready : cut_short(input);
	bytes = input->buffer + input->at;
	sum = crc32(crc32(0, NULL, 0), bytes, RAW_CHECKSUM_AT);
	sum = size ? crc32(sum, bytes + RAW_HEADER, size) : sum;
	if (raw_get32(bytes + RAW_CHECKSUM_AT) != sum)
		return damaged(input, "a checksum is wrong");
	*record = (struct raw_record){ raw_get32(bytes), size, bytes + RAW_HEADER };
	take(input, RAW_HEADER + size);
	return 1;
}
