/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The records of a raw recording (raw.h) on their way to the file: buffered, each with its header and checksum. After a
 * failed write, nothing more is written.
 */
#ifndef TPROF_RAW_OUT_H
#define TPROF_RAW_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "raw.h"

/* A zeroed struct with a descriptor is empty. */
struct raw_out {
	int fd;
	int err;			/* of the first failed write, -errno */
	uint8_t *buffer;
	size_t size, capacity;
	uint64_t bytes;			/* written to the file */
	struct tprof_tally unwritten;	/* samples of records that are not in the file, or not whole, after an error */
};

void raw_out_fini(struct raw_out *out);

/* Writes the buffer. Returns the error of the first failed write. */
int raw_out_write(struct raw_out *out);

/* The first bytes of the file, before all records. -ENOMEM. */
int raw_out_header(struct raw_out *out);

/* Begins a record and returns where its payload goes, at most @size bytes; NULL if there is no memory. */
uint8_t *raw_out_begin(struct raw_out *out, size_t size);

/* Ends the record, whose payload has that size. Returns 0, or the error of the write if the buffer is full. */
int raw_out_end(struct raw_out *out, enum raw_type type, size_t size);

/* A whole record. -ENOMEM, or as raw_out_end(). */
int raw_out_record(struct raw_out *out, enum raw_type type, const void *payload, size_t size);

#endif
