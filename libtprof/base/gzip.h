/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* gzip, as profiles are kept in. */
#ifndef TPROF_GZIP_H
#define TPROF_GZIP_H

#include <stdint.h>
#include <stdio.h>

#include "file_head.h"
#include "tprof.h"

struct gzip_bytes {
	uint8_t *bytes;		/* to be freed */
	size_t size, room;
};

/*
 * Writes packed bytes; the same ones for the same input, whenever. The stream's error flag tells whether they went out.
 * Errors: ENOMEM.
 */
int gzip_write(const uint8_t *bytes, size_t size, FILE *out);

/*
 * Reads a descriptor to its end and unpacks what it gives if it is packed, at most @limit bytes; @head is what has been
 * read of it.
 * @name is for the sentence.
 * Errors: EBADMSG (empty, or packed and damaged or cut short), EFBIG, ENOMEM, those of read(2).
 */
int gzip_read(int fd, const struct file_head *head, const char *name, size_t limit, struct gzip_bytes *unpacked,
	      struct tprof_error *error);

#endif
