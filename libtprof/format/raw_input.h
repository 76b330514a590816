/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The records of a raw recording, one after the other, of which nothing is believed but that the checksum is right. */
#ifndef TPROF_RAW_INPUT_H
#define TPROF_RAW_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file_head.h"
#include "tprof.h"

struct raw_input {
	int fd;
	const char *name;
	struct tprof_error *error;
	uint8_t *buffer;
	size_t at, size;		/* what of it has not been handed out */
	bool ended;			/* there is no more to be read */
	uint64_t offset;		/* of the next record in the file */
	const char *damage;		/* why the reading ended before the file did; NULL: it did not */
	bool cut;			/* it is that the file ends in the middle of a record */
};

struct raw_record {
	uint32_t type, size;
	const uint8_t *payload;		/* until the next record is asked for */
};

bool raw_is_raw(const struct file_head *head);

/* Checks what the file begins with. Errors: EBADMSG, EPROTONOSUPPORT, ENOMEM, those of read(2). */
int raw_input_open(struct raw_input *input, int fd, const struct file_head *head, const char *name,
		   struct tprof_error *error);
void raw_input_close(struct raw_input *input);

/* 1, or 0 if there is none any more or input->damage says why it cannot be; or -errno of read(2). */
int raw_input_next(struct raw_input *input, struct raw_record *record);

#endif
