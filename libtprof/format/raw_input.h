/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Reads the records of a raw recording in order and verifies their checksums. The content is otherwise untrusted. */
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
	size_t at, size;		/* the bytes of buffer that were not returned yet */
	bool ended;			/* end of file reached */
	uint64_t offset;		/* of the next record in the file */
	const char *damage;		/* why reading stopped before the end of the file; NULL: it did not */
	bool cut;			/* the damage is that the file ends within a record */
};

struct raw_record {
	uint32_t type, size;
	const uint8_t *payload;		/* valid until the next record is read */
};

bool raw_is_raw(const struct file_head *head);

/* Checks the file header. Errors: EBADMSG, EPROTONOSUPPORT, ENOMEM, those of read(2). */
int raw_input_open(struct raw_input *input, int fd, const struct file_head *head, const char *name,
		   struct tprof_error *error);
void raw_input_close(struct raw_input *input);

/* Returns 1; 0 at the end or if input->damage is set; or -errno of read(2). */
int raw_input_next(struct raw_input *input, struct raw_record *record);

#endif
