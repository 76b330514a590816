/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * A stream that writes into memory, and knows whether all of it is there: that of the C library leaves out what it has
 * no memory for, and says nothing.
 */
#ifndef TPROF_TEXT_STREAM_H
#define TPROF_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zero: not open. Stays where it is while it is open. */
struct text_stream {
	FILE *out;
	char *text;			/* what has been flushed */
	size_t length, room;
	bool cut;			/* there was no memory for some of it */
	char buffer[256];
};

/* Opens it, or begins anew if it is open. Returns what to write to; NULL: no memory. */
FILE *text_stream_begin(struct text_stream *stream);
/* What was written since, as a string, valid until the next beginning; NULL: no memory for all of it. */
char *text_stream_text(struct text_stream *stream);
/* The same, for the caller to free; the stream is closed in any case. */
char *text_stream_take(struct text_stream *stream);
void text_stream_close(struct text_stream *stream);

#endif
