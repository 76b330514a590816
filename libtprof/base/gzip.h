/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Reading and writing of gzip, the compression of profile files. */
#ifndef TPROF_GZIP_H
#define TPROF_GZIP_H

#include <stdint.h>
#include <stdio.h>

#include "file_head.h"
#include "tprof.h"

struct gzip_bytes {
	uint8_t *bytes;		/* owned by the caller */
	size_t size, capacity;
};

/*
 * Writes compressed bytes. The output depends only on the input, not on time or file name. Write errors show in the
 * error flag of @out. Errors: ENOMEM.
 */
int gzip_write(const uint8_t *bytes, size_t size, FILE *out);

/*
 * Reads a file descriptor to its end. Decompresses gzip data; any other data is returned as it is. @head: the bytes
 * that were already read from @fd. @name: for the error sentence. @limit: the maximum size of the result, in bytes.
 * Errors: EBADMSG (empty, or compressed data that is damaged or truncated), EFBIG (over @limit), ENOMEM, those of
 * read(2).
 */
int gzip_read(int fd, const struct file_head *head, const char *name, size_t limit, struct gzip_bytes *unpacked,
	      struct tprof_error *error);

#endif
