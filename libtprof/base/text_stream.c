// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* A stdio stream that writes to memory and reports truncation. */
#include "text_stream.h"

#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static bool reserve(struct text_stream *stream, size_t size)
{
	char *larger = array_reserve(stream->text, stream->length + size + 1, &stream->capacity, 1);

	if (larger)
		stream->text = larger;
	return larger;
}

/* Always keeps capacity for the terminating NUL. */
static ssize_t append(void *cookie, const char *bytes, size_t size)
{
	struct text_stream *stream = cookie;

	stream->cut |= !reserve(stream, size);
	if (stream->cut)
		return 0;
	memcpy(stream->text + stream->length, bytes, size);
	stream->length += size;
	return (ssize_t)size;
}

static void forget(struct text_stream *stream)
{
	/* Discards the buffered output. */
	__fpurge(stream->out);
	clearerr(stream->out);
	stream->length = 0;
	stream->cut = false;
}

FILE *text_stream_begin(struct text_stream *stream)
{
	if (stream->out) {
		forget(stream);
		return stream->out;
	}
	stream->out = fopencookie(stream, "w", (cookie_io_functions_t){ .write = append });
	if (stream->out)
		setvbuf(stream->out, stream->buffer, _IOFBF, sizeof(stream->buffer));
	return stream->out;
}

char *text_stream_text(struct text_stream *stream)
{
	if (fflush(stream->out) || stream->cut || !reserve(stream, 0))
		return NULL;
	stream->text[stream->length] = '\0';
	return stream->text;
}

char *text_stream_take(struct text_stream *stream)
{
	char *text = text_stream_text(stream);

	if (text)
		stream->text = NULL;
	text_stream_close(stream);
	return text;
}

void text_stream_close(struct text_stream *stream)
{
	if (stream->out)
		fclose(stream->out);
	free(stream->text);
	*stream = (struct text_stream){ 0 };
}
