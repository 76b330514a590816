/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A stdio stream that writes to memory and reports truncation. open_memstream(3) of the C library silently drops data
 * when memory is exhausted.
 */
#ifndef TPROF_TEXT_STREAM_H
#define TPROF_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Zeroed: closed. Must not move while it is open. */
struct text_stream {
	FILE *out;
	char *text;			/* the flushed part */
	size_t length, capacity;
	bool cut;			/* some output was lost because memory was exhausted */
	char buffer[256];
};

/*
 * Opens the stream, or discards its content if it is open. Returns the stream to write to, or NULL if memory is
 * exhausted.
 */
FILE *text_stream_begin(struct text_stream *stream);
/*
 * Returns everything written since the last begin as a string, valid until the next begin. NULL: some output was lost
 * because memory was exhausted.
 */
char *text_stream_text(struct text_stream *stream);
/* The same, but the caller owns the string. Closes the stream even if it returns NULL. */
char *text_stream_take(struct text_stream *stream);
void text_stream_close(struct text_stream *stream);

#endif
